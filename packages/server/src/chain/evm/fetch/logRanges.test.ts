import { describe, expect, test } from 'vitest'
import { createLogRange, parseRangeLimit } from './logRanges.ts'

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

describe('createLogRange', () => {
  test('default: shrinks at once and grows back', () => {
    const range = createLogRange({ blocks: 500, blocksMax: 500 })
    range.onTooLarge(500, undefined)
    expect(range.blocks()).toBe(250)
    range.onAnswer(250)
    expect(range.blocks()).toBe(275)
    for (let answer = 0; answer < 20; answer += 1) range.onAnswer(range.blocks())
    expect(range.blocks()).toBe(500)
  })

  test('args: suggested', () => {
    const range = createLogRange({ blocks: 500, blocksMax: 500 })
    range.onTooLarge(500, 37)
    expect(range.blocks()).toBe(37)
  })

  test('behavior: a suggestion that is no smaller is not believed', () => {
    const range = createLogRange({ blocks: 100, blocksMax: 100 })
    range.onTooLarge(100, 100)
    expect(range.blocks()).toBe(50)
  })

  test('behavior: requests already under way shrink it once', () => {
    const range = createLogRange({ blocks: 400, blocksMax: 400 })
    for (let lane = 0; lane < 4; lane += 1) range.onTooLarge(400, undefined)
    expect(range.blocks()).toBe(200)
  })

  test('behavior: never under one block, and grows from there', () => {
    const range = createLogRange({ blocks: 3, blocksMax: 10 })
    for (let again = 0; again < 9; again += 1) range.onTooLarge(range.blocks(), undefined)
    expect(range.blocks()).toBe(1)
    range.onAnswer(1)
    expect(range.blocks()).toBe(2)
  })

  test('behavior: a short last request does not make it grow', () => {
    const range = createLogRange({ blocks: 100, blocksMax: 1_000 })
    range.onAnswer(7)
    expect(range.blocks()).toBe(100)
  })
})
