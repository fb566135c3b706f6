import { expect, test } from 'vitest'
import { classifyRpcError } from './classifyRpcError.ts'

test.each([
  ['eth_call', 3, 'execution reverted', 200, 'reverted'],
  ['eth_call', -32_000, 'execution reverted: STF', 200, 'reverted'],
  [
    'eth_call',
    -32_603,
    'Error: VM Exception while processing transaction: reverted',
    200,
    'reverted',
  ],
  ['eth_call', -32_603, 'Error: Transaction reverted without a reason string', 200, 'reverted'],
  ['eth_call', -32_000, 'out of gas', 200, 'reverted'],
  [
    'eth_getLogs',
    -32_005,
    'daily request count exceeded, request rate limited',
    200,
    'rateLimited',
  ],
  [
    'eth_getLogs',
    429,
    'Your app has exceeded its compute units per second capacity',
    200,
    'rateLimited',
  ],
  ['eth_call', -32_005, 'limit exceeded', 200, 'rateLimited'],
  ['eth_getLogs', -32_005, 'limit exceeded', 200, 'rangeTooLarge'],
  ['eth_getLogs', -32_602, 'query returned more than 10000 results', 200, 'rangeTooLarge'],
  [
    'eth_getBlockReceipts',
    -32_601,
    'the method eth_getBlockReceipts does not exist/is not available',
    200,
    'unknownMethod',
  ],
  [
    'eth_getBlockReceipts',
    -32_004,
    'Method eth_getBlockReceipts is not supported',
    200,
    'unknownMethod',
  ],
  ['eth_getBlockReceipts', -32_601, '', 200, 'unknownMethod'],
  ['eth_call', -32_000, 'header not found', 200, 'notFound'],
  ['eth_call', -32_000, 'missing trie node 1234', 200, 'notFound'],
  ['eth_getLogs', -32_000, 'unknown block', 200, 'notFound'],
  ['eth_getLogs', -32_000, 'requested to block 9 after last accepted block 8', 200, 'notFound'],
  ['eth_call', -32_602, 'invalid argument 1: hex string', 200, 'refused'],
  ['eth_call', -32_603, 'Internal error', 200, 'failed'],
  ['eth_call', undefined, '', 429, 'rateLimited'],
  ['eth_call', undefined, '', 403, 'forbidden'],
  ['eth_call', undefined, '', 502, 'failed'],
  ['eth_call', undefined, '', 504, 'timeout'],
  ['eth_call', undefined, '', 413, 'batchRefused'],
  ['eth_call', -32_600, 'batch limit exceeded', 200, 'batchRefused'],
  ['eth_blockNumber', -32_000, 'request timed out', 200, 'timeout'],
] as const)('args: %s %s %s', (method, code, message, httpStatus, kind) => {
  expect(classifyRpcError({ method, code, message, httpStatus }).kind).toBe(kind)
})
