"""Why? Answers computed from the log of a run, for any moment of it: `ask(tape, seq, key, Subject(tensor=3))`."""

from backscope.why.answer import text as text
from backscope.why.budget import OutOfTime as OutOfTime, within as within
from backscope.why.inquiry import ask as ask, questions as questions
from backscope.why.question import NotAsked as NotAsked, Question as Question, Subject as Subject
from backscope.why.tape import Tape as Tape
