// The colours of a theme where no page has them in force: read from the text of the styles.

import { type ThemeTokens, tokensBy } from '../../renderer/tokens';
import styles from '../../theme/tokens.css?raw';

const BLOCK = /([^{}]+)\{([^{}]*)\}/g;

/** The tokens of a theme, without what a system that wants more contrast changes. */
export function tokensOfStyles(theme: 'light' | 'dark', text = styles): ThemeTokens {
  const plain = text.slice(0, text.indexOf('@media')).replace(/\/\*[\s\S]*?\*\//g, '');
  const found = new Map<string, string>();
  for (const [, selectors, rules] of plain.matchAll(BLOCK)) {
    const named = selectors!.split(',').map((one) => one.trim());
    if (!named.includes(':root') && !named.includes(`:root[data-theme="${theme}"]`)) continue;
    for (const [, name, value] of rules!.matchAll(/(--[\w-]+):\s*([^;]+);/g)) found.set(name!, value!.trim());
  }
  return tokensBy((property) => found.get(property) ?? '');
}
