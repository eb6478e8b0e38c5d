// The packages that the page carries: the build writes them down beside it (licenses.ts in the folder web).

import * as say from '../messages/page/about';

/** A package, with the text of its license. */
export type Carried = { name: string; version: string; license: string; text: string };

/** What the page carries, by name. */
export async function fetchLicenses(): Promise<Carried[]> {
  const response = await fetch('/licenses.json');
  if (!response.ok) throw new Error(say.licensesMissing);
  return response.json();
}
