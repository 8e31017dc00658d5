module.exports = async ({ data }) => ({ count: data.count + 1 });
