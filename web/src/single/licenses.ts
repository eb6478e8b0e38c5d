// What the page in one file carries: the build puts it in the place of the name (one-file.ts).

import type { Carried } from '../shell/licenses';

declare const BACKSCOPE_LICENSES: Carried[];

export async function fetchLicenses(): Promise<Carried[]> {
  return BACKSCOPE_LICENSES;
}
