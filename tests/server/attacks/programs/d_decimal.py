# Ends: TimeLimitExceeded, MemoryLimitExceeded, error
import decimal

decimal.getcontext().prec = decimal.MAX_PREC
decimal.getcontext().Emax = decimal.MAX_EMAX
print(decimal.Decimal(2).sqrt())
