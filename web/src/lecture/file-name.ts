// The name of a lesson's file, made of its title: letters, digits and `_`.

const USUAL = 'lecture';
const MOST = 60;

export function fileName(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .match(/[a-z0-9_]+/g) ?? [];
  return words.join('_').slice(0, MOST).replace(/_+$/, '') || USUAL;
}
