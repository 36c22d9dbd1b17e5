"""python evaluate.py: evaluates the Tiltfile with stand-ins for Tilt's functions, and prints their calls as JSON.

The manifests come from stdin. Starlark is the language; what Tilt itself would do with the calls is not tried.
"""
import json
import sys

import starlark

manifests = json.load(sys.stdin)
calls = []


def stand_in(name, answer=None):
    def call(*args, **kwargs):
        calls.append({'function': name, 'args': list(args), **kwargs})
        return answer

    return call


module = starlark.Module()
module['TRIGGER_MODE_MANUAL'] = 'manual'
for name in ['docker_build', 'k8s_resource', 'k8s_yaml', 'local', 'local_resource']:
    module.add_callable(name, stand_in(name))
module.add_callable('helm', stand_in('helm', 'rendered'))
module.add_callable('sync', lambda source, target: {'sync': [source, target]})
module.add_callable('decode_yaml_stream', lambda text: manifests)
module.add_callable('encode_yaml_stream', lambda changed: changed)

dialect = starlark.Dialect.extended()
with open('Tiltfile', encoding='utf-8') as file:
    starlark.eval(module, starlark.parse('Tiltfile', file.read(), dialect), starlark.Globals.standard())
print(json.dumps(calls))
