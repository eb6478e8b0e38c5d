// The entry of the view that other pages show in a frame: it plays what came with its address, and runs nothing by itself.

import '../widgets/held-storage';
import '../theme/fonts';
import '../theme/tokens.css';
import '../theme/base.css';
import { mount } from 'svelte';
import Embed from './Embed.svelte';

mount(Embed, { target: document.getElementById('app')! });
