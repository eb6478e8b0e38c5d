"""The steps of a run and the sentence of each, from its events: as the page's captions, letter by letter.

run = Run()
for event in events:
    run.take(event)
[sentence(run, moment) for moment in run.moments]
"""

from backscope.caption.caption import sentence as sentence
from backscope.caption.naming import Naming as Naming, content as content, gradient as gradient
from backscope.caption.number import held_bytes as held_bytes
from backscope.caption.place import place_text as place_text
from backscope.caption.run import Run as Run
from backscope.caption.state import State as State
from backscope.caption.steps import Moment as Moment, Steps as Steps, kind_of as kind_of, why_no_step as why_no_step
