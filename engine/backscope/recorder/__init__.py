"""The recorder, which makes events of the engine's moments, and is the only room that emits them.

`recorder` has the parts that record moments (`op_events`, `backward_events`, ...), each with the state of its kind of
moment; `journal` keeps the moments until they are written; `narration` makes the events.
"""
