// Texts about Backscope itself: its version and licenses.

export const about = 'About';
export const backscopeAndItsLicense = (version: string) =>
  `Backscope ${version}, © The Backscope authors, under the MIT license.`;
export const privacy = 'Privacy';
export const terms = 'Terms';
export const licensesOfWhatThisPageCarries = 'Licenses of what this page carries';
export const licensesMissing = 'The licenses could not be loaded. Open this again when the server is back.';
