import { expect, test } from '@jest/globals';
import { ConfigError, isLoopback, read, siteOrigins, tracingVariables } from './index.ts';

test.each([
  ['https://relay.example/', ['https://relay.example']],
  ['https://relay.example:8443/path', ['https://relay.example:8443']],
  ['https://localhost.example', ['https://localhost.example']],
  ['http://localhost:8080', ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080']],
  ['http://127.0.0.1:8080/', ['http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080']],
  [
    'http://127.0.0.2:81',
    ['http://127.0.0.2:81', 'http://localhost:81', 'http://127.0.0.1:81', 'http://[::1]:81'],
  ],
  ['https://[::1]', ['https://[::1]', 'https://localhost', 'https://127.0.0.1']],
  ['http://localhost:80', ['http://localhost', 'http://127.0.0.1', 'http://[::1]']],
])('the origins of %s', (publicUrl, origins) => {
  expect(siteOrigins(publicUrl)).toEqual(origins);
});

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.8.9.10', true],
  ['::1', true],
  ['[::1]', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.0.0.1.example', false],
  ['localhost.example', false],
  ['10.0.0.1', false],
])('%s is a loopback name: %p', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=a%0d%0ab'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=100%'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', '1%'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=1,b'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=%ff'],
])('%s=%s is refused when the service starts', (name, value) => {
  expect(() => read(tracingVariables, { [name]: value })).toThrow(ConfigError);
});

test('an invalid header for the collector is not repeated in the error', () => {
  const given = { OTEL_EXPORTER_OTLP_HEADERS: 'hunter2' };
  expect(() => read(tracingVariables, given)).toThrow(
    'OTEL_EXPORTER_OTLP_HEADERS is not valid (its value is not shown)',
  );
});
