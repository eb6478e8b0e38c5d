# Ends: EventStreamBroken
import os

v = b'{"shape":[1],"dtype":"x","strides":[1],"nbytes":' + b"9" * 500 + b',"min":1e400,"max":0,"mean":0,"norm":0,"nan_count":0,"inf_count":0,"values":[]}'
for number in (0, 1, 2, 2**53):
    for kind, rest in ((b"done", b""), (b"evaluated", b',"look":{"type":"x","text":"<script>","tensor":1,"value":' + v + b'},"output":""')):
        os.write(4, b'{"answer":"%b","id":%d%b}\n' % (kind, number, rest))
os.write(4, b'{"kind":"resumed","seq":1,"line":1}\n')
while True:
    pass
