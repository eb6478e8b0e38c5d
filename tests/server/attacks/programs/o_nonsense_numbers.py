# Ends: EventStreamBroken
import os

v = b'{"shape":[-1,99999999999999],"dtype":"float32","strides":[],"nbytes":-5,"min":1e308,"max":"NaN","mean":null,"norm":null,"nan_count":-1,"inf_count":0,"values":[1e308]}'
os.write(
    4,
    b'{"kind":"tensor_created","seq":1,"line":-7,"origin":"x","info":{"tensor":-3,"storage":0,"version":-1,"requires_grad":false,"is_leaf":true,"base":null,"value":'
    + v
    + b"}}\n",
)
while True:
    pass
