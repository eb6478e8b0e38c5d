// The part of the browser's trusted types that the page uses, which TypeScript's own declarations lack.

declare var trustedTypes:
  | {
      createPolicy(
        name: string,
        rules: { createScriptURL(url: string): string },
      ): { createScriptURL(url: string): unknown };
    }
  | undefined;
