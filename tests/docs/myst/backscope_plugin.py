#!/usr/bin/env python3
import sys

from backscope.docs.myst import main

sys.exit(main())
