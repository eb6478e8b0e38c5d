// The page's entry: fonts, theme, and the app mounted into #app.

import './widgets/held-storage';
import './theme/fonts';
import './theme/tokens.css';
import './theme/base.css';
import { mount } from 'svelte';
import App from './App.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('index.html has no element #app to mount the page into.');
mount(App, { target });
