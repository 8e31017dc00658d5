export const job = async () => {};
