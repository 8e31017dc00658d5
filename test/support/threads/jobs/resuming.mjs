export default async ({ checkpoint, resumeFrom, report }) => {
  report({ summary: JSON.stringify(resumeFrom) });
  await checkpoint({ lastId: (resumeFrom?.lastId ?? 0) + 10 });
  if (resumeFrom === null) throw new Error('half way');
};
