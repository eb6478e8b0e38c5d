// Style sheets that could not be fetched: the builder's own loader requests each of them only once.

const missing = new Set<string>();

addEventListener(
  'error',
  ({ target }) => {
    if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
    missing.add(target.href);
    target.remove();
  },
  true,
);

function fetchSheet(href: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = href;
    link.onload = () => {
      missing.delete(href);
      resolve();
    };
    link.onerror = () => reject(new Error(href));
    document.head.append(link);
  });
}

/** Fetches a part of the page, and before it the style sheets that could not be fetched earlier. */
export async function withStyles<T>(part: () => Promise<T>): Promise<T> {
  await Promise.all([...missing].map(fetchSheet));
  return part();
}
