// How the view for frames is built: by itself, because what it shares with the page would cut the page into small files.

import { mergeConfig } from 'vite';
import page from './vite.config.ts';

export default mergeConfig(page, { build: { emptyOutDir: false, rolldownOptions: { input: 'embed.html' } } });
