"""Answers questions such as "Why is w.grad None?" from the log of a run, for any moment of it."""

from backscope.diagnosis.why.answer import text as text
from backscope.diagnosis.why.budget import OutOfTime as OutOfTime, within as within
from backscope.diagnosis.why.inquiry import ask as ask, questions as questions
from backscope.diagnosis.why.log.tape import Tape as Tape
from backscope.diagnosis.why.question import NotAsked as NotAsked, Question as Question, Subject as Subject
