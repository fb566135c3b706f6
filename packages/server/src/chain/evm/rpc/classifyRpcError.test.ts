import { describe, expect, test } from 'vitest'
import { classifyRpcError, parseRangeLimit } from './classifyRpcError.ts'

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
  ['eth_call', -32_000, 'out of gas', 200, 'outOfGas'],
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
  ['eth_call', -32_000, 'json: cannot unmarshal hex string', 200, 'refused'],
  ['eth_getBlockByHash', -32_000, 'json: cannot unmarshal hex string', 200, 'failed'],
  ['eth_getBlockByHash', 3, 'execution reverted', 200, 'failed'],
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

// As the nodes write them; a contract can bring about each.
test.each([
  ['geth', -32_000, 'invalid jump destination'],
  ['geth', -32_000, 'stack limit reached 1024 (1023)'],
  ['geth', -32_000, 'stack underflow (0 <=> 2)'],
  ['geth', -32_000, 'return data out of bounds'],
  ['geth', -32_000, 'gas uint64 overflow'],
  ['geth', -32_000, 'write protection'],
  ['geth', -32_000, 'max call depth exceeded'],
  ['geth', -32_000, 'invalid opcode: opcode 0xfe not defined'],
  ['geth', -32_000, 'invalid code: must not begin with 0xef'],
  ['geth', 3, 'execution reverted: the API key does not exist, too many requests'],
  ['erigon', -32_000, 'invalid opcode: INVALID'],
  ['erigon', -32_000, 'execution reverted'],
  ['reth', -32_003, 'EVM error: InvalidJump'],
  ['reth', -32_003, 'EVM error: InvalidFEOpcode'],
  ['reth', -32_003, 'EVM error: StackUnderflow'],
  ['nethermind', -32_015, 'VM execution error.'],
  ['nethermind', -32_003, 'Precompile 0x0000000000000000000000000000000000000008 failed'],
  ['openethereum', -32_015, 'Transaction execution error.'],
  ['besu', -32_000, 'Execution reverted'],
  ['besu', -32_000, 'Invalid opcode: 0xfe'],
  ['anvil', -32_603, 'EVM error InvalidFEOpcode'],
  ['anvil', 3, 'execution reverted: custom error 0x1f2a2005'],
  ['hardhat', -32_603, 'Error: VM Exception while processing transaction: invalid opcode'],
  [
    'hardhat',
    -32_603,
    "Error: Transaction reverted: function selector was not recognized and there's no fallback function",
  ],
  ['frontier', -32_603, 'execution error: OutOfOffset'],
] as const)('behavior: a contract that fails at %s: %s %s', (_, code, message) => {
  expect(classifyRpcError({ method: 'eth_call', code, message, httpStatus: 200 }).kind).toBe(
    'reverted',
  )
})

test.each([
  [
    'geth',
    -32_000,
    'missing trie node 8b1604e0d19d9be9a94cab027e74134e (path ) state is not available',
  ],
  ['geth', -32_000, 'required historical state unavailable (reexec=128)'],
  ['geth', -32_000, 'header for hash not found'],
  ['geth', -32_000, 'hash 0x12 is not currently canonical'],
  ['erigon', -32_000, 'seek with txNum=1962 but data before txNum=2662 is not available'],
  ['erigon', -32_000, 'old data not available due to pruning'],
  ['reth', -32_000, 'state at block #17000000 is pruned'],
  ['nethermind', -32_002, 'No state available for block 17000000'],
  ['besu', -32_000, 'World state unavailable'],
  ['anvil', -32_602, 'BlockOutOfRangeError: block height is 23 but requested was 24'],
  ['hardhat', -32_000, 'Received invalid block tag 100. Latest block number is 5'],
  [
    'openethereum',
    -32_000,
    'This request is not supported because your node is running with state pruning. Run with --pruning=archive.',
  ],
  ['infura', -32_002, 'project ID does not have access to archive state'],
  ['publicnode', -32_701, 'Archive requests require a personal token'],
] as const)('behavior: state that %s does not have: %s %s', (_, code, message) => {
  expect(classifyRpcError({ method: 'eth_call', code, message, httpStatus: 200 }).kind).toBe(
    'notFound',
  )
  expect(classifyRpcError({ method: 'eth_call', code, message, httpStatus: 403 }).kind).toBe(
    'notFound',
  )
})

test.each([
  [-32_603, 'Internal error', 200, 'failed'],
  [-32_000, 'method handler crashed', 200, 'failed'],
  [-32_000, 'leveldb: closed', 200, 'failed'],
  [-32_000, 'service temporarily unavailable', 200, 'failed'],
  [-32_000, 'whatever', 503, 'failed'],
  [-32_000, 'execution aborted (timeout = 5s)', 200, 'timeout'],
  [-32_602, 'invalid argument 1: json: cannot unmarshal object into Go value', 200, 'refused'],
  [-32_000, 'cannot unmarshal object into Go value of type rpc.BlockNumber', 200, 'refused'],
  [-32_602, 'too many arguments, want at most 2', 200, 'refused'],
] as const)('behavior: no fault of the contract: %s %s', (code, message, httpStatus, kind) => {
  expect(classifyRpcError({ method: 'eth_call', code, message, httpStatus }).kind).toBe(kind)
})

// More gas than was given or than the node gives: the question may be too large for it, or one
// contract without end.
test.each([
  ['geth', -32_000, 'out of gas'],
  ['geth', -32_000, 'gas required exceeds allowance (50000000)'],
  ['reth', -32_003, 'out of gas: gas required exceeds: 500000'],
  ['anvil', -32_603, 'EVM error OutOfGas'],
  [
    'hardhat',
    -32_603,
    'Transaction reverted: contract call run out of gas and made the transaction revert',
  ],
  ['moonbeam', -32_603, 'provided gas limit is too high: can be up to 10x the block gas limit'],
] as const)('behavior: out of gas at %s: %s %s', (_, code, message) => {
  const failure = { method: 'eth_call', code, message, httpStatus: 200 }
  expect(classifyRpcError(failure).kind).toBe('outOfGas')
})

// As providers write them, with the HTTP status they come with.
test.each([
  [-32_000, 'logs matched by query exceeds limit of 10000', 200, 'rangeTooLarge'],
  [-32_602, 'range 1000000 exceeds limit of 10000', 200, 'rangeTooLarge'],
  [-32_614, 'eth_getLogs is limited to a 10,000 range', 413, 'rangeTooLarge'],
  [
    -32_000,
    'eth_getLogs requests are limited to a maximum of 2000 blocks worth of logs',
    200,
    'rangeTooLarge',
  ],
  [-32_000, 'maximum [from, to] blocks distance: 10000', 200, 'rangeTooLarge'],
  [35, 'ranges over 10000 blocks are not supported on free plan', 400, 'rangeTooLarge'],
  [-32_600, 'exceeds the range allowed for your plan', 200, 'logsRefused'],
  [-32_000, 'ranges of this size are not available on your plan', 200, 'logsRefused'],
  [-32_000, 'response size should not greater than 10000000 bytes', 200, 'logsRefused'],
  [-32_602, 'invalid params', 200, 'logsRefused'],
  [-32_603, 'Internal error', 200, 'logsRefused'],
  [12, "Can't route your request to suitable provider", 400, 'logsRefused'],
  [-32_046, 'Cannot fulfill request', 200, 'logsRefused'],
  [
    -32_701,
    'Please specify an address in your request or, to remove restrictions, order a dedicated full node here: https://www.allnodes.com/eth/host',
    200,
    'addressNeeded',
  ],
  [-32_600, 'eth_getLogs: contract address is required', 200, 'addressNeeded'],
  [-32_602, 'block range extends beyond current head block', 200, 'notFound'],
  [-32_000, 'requested to block 9 after last accepted block 8', 200, 'notFound'],
  [-32_001, 'Exceeded the quota usage', 200, 'rateLimited'],
  [-32_012, 'credits limited to 6000/sec', 200, 'rateLimited'],
  [15, 'Too many request, try again later', 429, 'rateLimited'],
  [-32_602, 'Archive requests require a personal token', 403, 'notFound'],
  [undefined, '', 502, 'failed'],
  [undefined, '', 401, 'forbidden'],
] as const)('behavior: of logs: %s %s (%s)', (code, message, httpStatus, kind) => {
  const failure = { method: 'eth_getLogs', code, message, httpStatus }
  expect(classifyRpcError(failure).kind).toBe(kind)
})

// Whatever a node says that it cannot do, no contract has failed.
test.each([
  [12, "Can't route your request to suitable provider", 'failed'],
  [27, 'Unknown state. First available state is 1', 'notFound'],
  [19, 'Temporary internal error. Please retry, trace-id: 1f', 'failed'],
  [1, "You've reached the usage limit for your current plan", 'rateLimited'],
  [-32_000, 'whatever', 'failed'],
  [-32_000, 'could not apply tx, no such account in the write protection of the pool', 'failed'],
  [-32_603, 'service unavailable', 'failed'],
  [-32_001, 'Unable to complete the request at this time.', 'notFound'],
  [-32_046, 'Cannot fulfill request', 'failed'],
  [-32_016, 'execution reverted is what we would say if we had asked', 'failed'],
  [undefined, 'execution reverted', 'failed'],
] as const)('behavior: no contract failed: %s %s', (code, message, kind) => {
  const failure = { method: 'eth_call', code, message, httpStatus: 200 }
  expect(classifyRpcError(failure).kind).toBe(kind)
})

test('behavior: what no contract runs for is not reverted', () => {
  const failure = { code: -32_000, message: 'gas uint64 overflow', httpStatus: 200 }
  expect(classifyRpcError({ method: 'eth_getBlockByHash', ...failure }).kind).toBe('failed')
})

describe('parseRangeLimit', () => {
  test.each([
    // Ranges the node names; they depend on what the blocks hold.
    [
      'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x100, 0x1ff]',
      256,
      false,
    ],
    ['query returned more than 10000 results. Try with this block range [0x1, 0xA].', 10, false],
    // Rules of the node.
    ['eth_getLogs is limited to a 10,000 range', 10_000, true],
    ['eth_getLogs and eth_newFilter are limited to a 10,000 blocks range', 10_000, true],
    ['eth_getLogs is limited to a 5 range', 5, true],
    ['eth_getLogs is limited to a 10.000 range.', 10_000, true],
    [
      "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
      800,
      true,
    ],
    ['eth_getLogs is limited to 0 - 50 blocks range', 50, true],
    ['eth_getLogs range is limited to 1024 blocks', 1_024, true],
    ['block range is too wide, maximum is set to 2048', 2_048, true],
    ['requested too many blocks from 1 to 5000, maximum is set to 2048', 2_048, true],
    ['Block range limit exceeded. Max range: 800', 800, true],
    ['please limit the query to at most 1000 blocks', 1_000, true],
    ['exceed maximum block range: 50000', 50_000, true],
    ['Maximum allowed number of requested blocks is 3500', 3_500, true],
    ['block range greater than 1000 max', 1_000, true],
    // Complaints without a number of blocks.
    ['query exceeds max block range', undefined, false],
    ['query exceeds max results 20000', undefined, false],
    ['query returned more than 10000 results', undefined, false],
    ['response is too big', undefined, false],
    ['Response size exceeded', undefined, false],
    ['block range is too wide', undefined, false],
    ['range too large', undefined, false],
    ['limit exceeded', undefined, false],
    ['query timeout exceeded', undefined, false],
  ])('args: %s', (message, blocksMax, isFixed) => {
    expect(parseRangeLimit(message)).toEqual({ blocksMax, isFixed })
  })

  test.each([
    'Too Many Requests',
    'daily request count exceeded, request rate limited',
    'exceeded 10 requests per second',
    'Your app has exceeded its compute units per second capacity',
    'header not found',
    'execution reverted',
    'Internal error',
    'the method eth_getLogs does not exist/is not available',
  ])('behavior: not about the range: %s', (message) => {
    expect(parseRangeLimit(message)).toBeNull()
  })
})
