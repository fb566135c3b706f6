// Nodes that report a wrong block time: one such answer must not stop a chain, whether or not
// another node contradicts it.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ChainNode, startChainNode } from '../support/chainNode.ts'
import { type ChainReader, openReader, type ReaderOptions } from '../support/chainReader.ts'
import { type ChaosRpc, noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { pollOptions } from '../support/until.ts'

let node: ChainNode
let closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  node = await startChainNode()
  closers = [node.close]
})

afterEach(async () => {
  for (const close of closers.reverse()) await close()
})

const tenYearsS = 315_360_000
const one = () => 1

type Liar = ChaosRpc & {
  /** The block whose time is wrong, and how many more wrong answers are given for it. */
  victim: { number: number; times: number }
  lies: number
}

/** Starts a node that reports a wrong time for one block. */
async function startLiar(number: number, { shiftS = tenYearsS, times = Infinity } = {}) {
  const liar = { victim: { number, times }, lies: 0 }
  const proxy = await startChaosRpc({
    targetUrl: node.rpcUrl,
    seed: 's',
    rates: noChaos,
    alter({ method }, result) {
      const block = result as { number: string; timestamp: string } | null
      if (!method.startsWith('eth_getBlockBy') || block === null) return result
      if (Number(block.number) !== liar.victim.number || liar.lies >= liar.victim.times)
        return result
      liar.lies += 1
      return { ...block, timestamp: `0x${(Number(block.timestamp) + shiftS).toString(16)}` }
    },
  })
  closers.push(proxy.close)
  return Object.assign(liar, proxy) as Liar
}

function read(urls: readonly string[], source: ReaderOptions['source']): ChainReader {
  const endpoints = urls.map((httpUrl) => ({ httpUrl }))
  // Long timeouts: on a slow machine the honest node must not be asked before the lying one has
  // answered.
  const rpc = { timeoutMs: 60_000, hedgeAfterMs: 60_000 }
  const reader = openReader({ endpoints, source, rpc })
  closers.push(reader.close)
  return reader
}

async function expectCanonical(reader: ChainReader): Promise<void> {
  const canonical = await node.readAll(reader.blocks[0]?.ref.number ?? 0)
  const tip = canonical.at(-1)!.ref
  await reader.until(() => {
    const { hash, timeS } = reader.blocks.at(-1)?.ref ?? {}
    return hash === tip.hash && timeS === tip.timeS
  })
  expect(reader.blocks.map(({ ref }) => ref)).toEqual(canonical.map(({ ref }) => ref))
}

const reverted = ({ events }: ChainReader) =>
  events.flatMap((event) => (event.type === 'revert' ? event.ref.number : []))

/** Accepts any block hash, as on a chain whose header format is unknown. */
const formless = { checks: { headerHash: false } }

test('default: a time that contradicts the block hash is never accepted, at the head', async () => {
  await node.mine(20, one)
  const liar = await startLiar(23)
  const reader = read([liar.url, node.rpcUrl], {})
  await expectCanonical(reader)
  for (let round = 0; round < 4; round += 1) {
    await node.mine(1, one)
    await expectCanonical(reader)
  }
  expect(liar.lies).toBeGreaterThan(0)
  expect(reverted(reader)).toEqual([])
  expect(reader.rpc.status()[0]!.faultCount).toBeGreaterThan(0)
})

const toHex = (value: number) => `0x${value.toString(16)}`

test.each([
  ['a node that gives milliseconds', (timeMs: number) => toHex(timeMs), true],
  [
    'a node whose milliseconds are of another second',
    (timeMs: number) => toHex(timeMs - 1_000),
    false,
  ],
])('behavior: five blocks a second, old and at the head, of %s', async (_, msOf, isKept) => {
  const timeMsOf = (number: number) => 1_700_000_000_000 + number * 200
  const proxy = await startChaosRpc({
    targetUrl: node.rpcUrl,
    seed: 's',
    rates: noChaos,
    alter({ method }, result) {
      const block = result as { number: string } | null
      if (!method.startsWith('eth_getBlockBy') || block === null) return result
      const timeMs = timeMsOf(Number(block.number))
      return { ...block, timestamp: toHex(Math.floor(timeMs / 1_000)), timestampMs: msOf(timeMs) }
    },
  })
  closers.push(proxy.close)
  await node.mine(20, one)
  const reader = read([proxy.url], formless)
  await reader.until(() => reader.blocks.at(-1)?.ref.number === 20)
  await node.mine(5, one)
  await reader.until(() => reader.blocks.at(-1)?.ref.number === 25)
  const refs = reader.blocks.map(({ ref }) => ref)
  expect(refs.length).toBeGreaterThan(20)
  for (const { number, timeS, timeMs } of refs)
    expect([timeS, timeMs]).toEqual([
      Math.floor(timeMsOf(number) / 1_000),
      isKept ? timeMsOf(number) : undefined,
    ])
  expect(reverted(reader)).toEqual([])
  expect(reader.rpc.status()[0]!.faultCount).toBe(0)
})

test('behavior: a contradicting time is not accepted for old blocks either, if the chain hashes headers as Ethereum does', async () => {
  await node.mine(60, one)
  const liar = await startLiar(0)
  const reader = read([liar.url, node.rpcUrl], { chainId: 1 })
  await expectCanonical(reader)
  expect(liar.lies).toBeGreaterThan(0)
  expect(reader.rpc.status()[0]!.faultCount).toBeGreaterThan(0)
})

test('behavior: the only node lies briefly, and its block is reverted', async () => {
  await node.mine(20, one)
  const liar = await startLiar(21, { times: 2 })
  const reader = read([liar.url], formless)
  await reader.until(() => reader.blocks.at(-1)?.ref.number === 21)
  expect(reader.blocks.at(-1)!.ref.timeS).toBeGreaterThan(1_700_000_000 + tenYearsS)
  await node.mine(3, one)
  await expectCanonical(reader)
  expect(reverted(reader)).toEqual([21])
})

test.each([
  ['beside an honest one', Infinity],
  ['no longer', 0],
])(
  'behavior: a stored block is reverted after a restart, and the node lies %s',
  async (_, times) => {
    await node.mine(20, one)
    const liar = await startLiar(21)
    const first = read([liar.url], formless)
    await first.until(() => first.blocks.at(-1)?.ref.number === 21)
    await first.close()
    await node.mine(3, one)
    liar.victim.times = times
    const known = first.blocks.map(({ ref }) => ref)
    const reader = read([liar.url, node.rpcUrl], { ...formless, known })
    await expectCanonical(reader)
    expect(reverted(reader)).toEqual([21])
  },
)

test('behavior: several successive blocks have slightly wrong times', async () => {
  await node.mine(20, one)
  const liar = await startLiar(20, { shiftS: 600 })
  const reader = read([liar.url], formless)
  // Makes block 20 the head.
  await node.dropBlocks(1)
  await reader.until(() => reader.blocks.at(-1)?.ref.number === 20)
  liar.victim.number = 21
  await node.mine(1, one)
  await reader.until(() => reader.blocks.at(-1)?.ref.number === 21)
  liar.victim.times = 0
  await node.mine(3, one)
  await expectCanonical(reader)
  expect(reverted(reader)).toEqual([21, 20])
})

test('behavior: a block that is final on arrival is confirmed by another node before it is emitted', async () => {
  await node.mine(100, one)
  const liar = await startLiar(30)
  const reader = read([liar.url, node.rpcUrl], formless)
  await expectCanonical(reader)
  expect(liar.lies).toBeGreaterThan(0)
  expect(reverted(reader)).toEqual([])
  expect(reader.finalizedNumber()).toBeGreaterThan(30)
})

const clockAt = (timeS: number) => ({ nowMs: () => timeS * 1_000 })

test('behavior: a time ahead of the clock needs confirmation by a second node', async () => {
  await node.mine(20, one)
  const { timeS } = (await node.readAll(21))[0]!.ref
  const liar = await startLiar(21)
  const bounded = { ...formless, headerAheadSMax: 900, clock: clockAt(timeS) }
  const reader = read([liar.url, node.rpcUrl], bounded)
  await expectCanonical(reader)
  expect(liar.lies).toBeGreaterThan(0)
  expect(reverted(reader)).toEqual([])
  // Both endpoints report the same time, so the local clock must be wrong.
  const late = { ...formless, headerAheadSMax: 900, clock: clockAt(timeS - 10_000) }
  await expectCanonical(read([node.rpcUrl, node.rpcUrl], late))
  // A single endpoint is enough when the block hash confirms the time.
  await expectCanonical(read([node.rpcUrl], { ...late, checks: {} }))
})

test('error: a time ahead of the clock without confirmation', async () => {
  await node.mine(20, one)
  const { timeS } = (await node.readAll(21))[0]!.ref
  const liar = await startLiar(21)
  const bounded = { ...formless, headerAheadSMax: 900, clock: clockAt(timeS) }
  const reader = read([liar.url], bounded)
  const reading = reader.until(() => reader.blocks.at(-1)?.ref.number === 21)
  await expect
    .poll(() => reader.progress().lastError?.text, pollOptions)
    .toContain('Block 21 is ahead of the clock')
  expect(reader.blocks.at(-1)!.ref.number).toBe(20)
  liar.victim.times = 0
  await reading
  expect(reader.blocks.at(-1)!.ref.timeS).toBe(timeS)
})
