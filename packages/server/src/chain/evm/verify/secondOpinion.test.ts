import { describe, expect, test } from 'vitest'
import {
  blockOf,
  connectNodes,
  EvmNode,
  mineBlocks,
  wantedTopic,
  wordOf,
} from '../../../../../../test/support/evmNodes.ts'
import { createLogger } from '../../../lib/logger.ts'
import type { EvmBlock } from '../../../model/evm/evmBlock.ts'
import type { RawLog, RawReceipt } from '../fetch/rawBlock.ts'
import { createState } from '../sourceState.ts'
import { checkLive, checkSample } from './checkSample.ts'
import { hasSameLogs, logsDigestOf, reviewBlock, secondOpinion } from './secondOpinion.ts'

const topics0 = [wantedTopic]
const chain = mineBlocks(4, null, () => ({ topics: [wantedTopic, wantedTopic] }))
const honest = blockOf(chain[3]!, topics0)
const { hash } = honest.ref
const { signal } = new AbortController()

/** A log of block 3 has other data. */
const withData = (block: EvmBlock, data: string): EvmBlock => ({
  ...block,
  logs: [block.logs[0]!, { ...block.logs[1]!, data }],
})
/** A node that reports this data of the second log, by receipts too. */
function liar(data: string): EvmNode {
  const node = new EvmNode(chain)
  const changed = (logs: readonly RawLog[]) =>
    logs.map((log) => (log.logIndex === '0x1' ? { ...log, data } : log))
  node.alter = (answer, { method }) => {
    if (method === 'eth_getLogs') return changed(answer as RawLog[])
    if (method === 'eth_getBlockReceipts')
      return (answer as RawReceipt[]).map((one) => ({ ...one, logs: changed(one.logs) }))
    return answer
  }
  return node
}
const lie = wordOf(77)

/** `isProvable`: headers and receipts are hashed; else nodes are believed by their number. */
function open(nodes: readonly EvmNode[], isProvable = false, sampleEveryBlocks = 0) {
  const { rpc, faults } = connectNodes(nodes)
  const { context } = createState({
    chain: 'test',
    rpc,
    startBlock: 0,
    known: [],
    reorgDepthMax: 8,
    finality: { type: 'depth', blocks: 8 },
    pollMs: 1,
    backfill: { rangeBlocks: 10, parallelRanges: 1 },
    topics0,
    chainId: 1,
    checks: { headerHash: isProvable, receiptsRoot: isProvable },
    sampleEveryBlocks,
    clock: { nowMs: () => 0 },
    logger: createLogger('silent'),
    signal,
  })
  const opinionOn = (block: EvmBlock, endpoint: number) =>
    secondOpinion(context, { block, endpoint }, signal)
  return { context, faults, opinionOn }
}

const askedOf = (nodes: readonly EvmNode[]) => nodes.map(({ calls }) => calls.length > 0)

describe('with receipts that prove a block', () => {
  test('another node than the one that reported it is asked, and nobody else', async () => {
    for (const reporter of [0, 1, 2]) {
      const nodes = [0, 1, 2].map(() => new EvmNode(chain))
      const { opinionOn, faults } = open(nodes, true)
      expect(await opinionOn(honest, reporter)).toEqual({ type: 'right' })
      const other = reporter === 0 ? 1 : 0
      expect(askedOf(nodes)).toEqual([0, 1, 2].map((at) => at === other))
      expect(faults()).toEqual([])
    }
  })

  test('a report that they contradict is wrong, and held against its node', async () => {
    const nodes = [liar(lie), new EvmNode(chain)]
    const { opinionOn, faults } = open(nodes, true)
    const opinion = await opinionOn(withData(honest, lie), 0)
    expect(opinion).toEqual({ type: 'wrong', block: honest })
    expect(faults()).toEqual(['0: Logs of block 3 are not true'])
  })

  test('what another node has does not count where it proves nothing', async () => {
    const nodes = [new EvmNode(chain), liar(lie)]
    const { opinionOn } = open(nodes, true)
    expect(await opinionOn(honest, 0)).toEqual({ type: 'right' })
    expect(askedOf(nodes)).toEqual([true, true])
  })

  test('receipts of single transactions do where a node has none of whole blocks', async () => {
    const node = new EvmNode(chain)
    node.missing.add('eth_getBlockReceipts')
    const { opinionOn } = open([node], true)
    expect(await opinionOn(withData(honest, lie), 0)).toEqual({ type: 'wrong', block: honest })
    expect(node.countOf('eth_getTransactionReceipt')).toBe(1)
    expect(node.countOf('eth_getLogs')).toBe(0)
  })

  test('the place of the block in the stream stays as it was reported', async () => {
    const { opinionOn } = open([new EvmNode(chain)], true)
    const ref = { ...honest.ref, parentNumber: 0, parentHash: chain[0]!.raw.hash }
    expect(await opinionOn({ ...withData(honest, lie), ref }, -1)).toEqual({
      type: 'wrong',
      block: { ...honest, ref },
    })
  })
})

describe('without proof', () => {
  const nodesOf = (...kinds: ('right' | 'lie')[]) =>
    kinds.map((kind) => (kind === 'right' ? new EvmNode(chain) : liar(lie)))

  test('most nodes decide, and those that say otherwise are distrusted', async () => {
    const { opinionOn, faults } = open(nodesOf('lie', 'right', 'right'))
    expect(await opinionOn(withData(honest, lie), 0)).toEqual({ type: 'wrong', block: honest })
    expect(faults()).toEqual(['0: Logs of block 3 are not true'])

    const other = open(nodesOf('right', 'lie', 'right'))
    expect(await other.opinionOn(honest, 0)).toEqual({ type: 'right' })
    expect(other.faults()).toEqual(['1: Logs of block 3 are not true'])
  })

  test('nodes that are as many on either side decide nothing', async () => {
    const two = open(nodesOf('right', 'lie'))
    expect(await two.opinionOn(honest, 0)).toEqual({
      type: 'split',
      others: [withData(honest, lie)],
    })
    const four = open(nodesOf('right', 'lie', 'lie', 'right'))
    expect(await four.opinionOn(honest, 0)).toMatchObject({ type: 'split' })
    expect([...two.faults(), ...four.faults()]).toEqual([])
  })

  test('a node alone cannot be contradicted', async () => {
    const { opinionOn } = open(nodesOf('lie'))
    expect(await opinionOn(withData(honest, lie), 0)).toEqual({ type: 'alone' })
    const nodes = nodesOf('lie', 'right')
    nodes[1]!.blocks = chain.slice(0, 3)
    expect(await open(nodes).opinionOn(withData(honest, lie), 0)).toEqual({ type: 'alone' })
    const down = nodesOf('lie', 'right')
    down[1]!.isDown = true
    expect(await open(down).opinionOn(withData(honest, lie), 0)).toEqual({ type: 'alone' })
  })

  test('of a block that nobody is known to have reported every node is asked', async () => {
    const nodes = nodesOf('right', 'right')
    expect(await open(nodes).opinionOn(honest, -1)).toEqual({ type: 'right' })
    expect(askedOf(nodes)).toEqual([true, true])
  })
})

test('logs are the same if all that is stored of them is, whatever the case of their data', () => {
  const change = (part: object) => ({
    ...honest,
    logs: [{ ...honest.logs[0]!, ...part }, honest.logs[1]!],
  })
  expect(hasSameLogs(honest, change({ data: honest.logs[0]!.data.toUpperCase() }))).toBe(true)
  for (const part of [
    { data: lie },
    { logIndex: 7 },
    { address: '0x1' },
    { transactionHash: '0x1' },
    { topics: [wantedTopic] },
    { topics: [wantedTopic, lie] },
  ])
    expect([hasSameLogs(honest, change(part)), hasSameLogs(change(part), honest)]).toEqual([
      false,
      false,
    ])
  expect(hasSameLogs(honest, { ...honest, logs: honest.logs.slice(0, 1) })).toBe(false)
  expect(logsDigestOf(honest)).toBe(logsDigestOf(structuredClone(honest)))
  expect(logsDigestOf(change({ data: lie }))).not.toBe(logsDigestOf(honest))
})

describe('the review of a block of an earlier run', () => {
  const digest = logsDigestOf(honest)
  const other = logsDigestOf(withData(honest, lie))
  const review = (nodes: readonly EvmNode[], isProvable = false, of = digest) =>
    reviewBlock(open(nodes, isProvable).context, { hash, digest: of }, signal)
  const [right, wrong] = [() => new EvmNode(chain), () => liar(lie)]

  test('believes a proof of any node', async () => {
    expect(await review([right()], true)).toBe('right')
    expect(await review([wrong(), right()], true)).toBe('right')
    expect(await review([right()], true, other)).toBe('wrong')
  })

  test('else needs more than half of two nodes or more', async () => {
    expect(await review([right()])).toBe('unknown')
    expect(await review([right(), right()])).toBe('right')
    expect(await review([right(), wrong()])).toBe('unknown')
    expect(await review([wrong(), right(), right()])).toBe('right')
    expect(await review([wrong(), wrong(), right()])).toBe('wrong')
    expect(await review([wrong(), wrong(), right()], false, other)).toBe('right')
  })
})

describe('a sample at the head', () => {
  const fetchedOf = (block: EvmBlock) => ({
    ...{ block, isProven: false, hasProvenLogs: false, endpoint: 0, logsEndpoint: 0 },
    receivedMs: 0,
  })

  test.each([
    [4, 'compared'],
    [2, 'compared'],
    [3, 'left as it is'],
    [0, 'left as it is'],
  ])('of one block in %i: block 3 is %s', async (every, what) => {
    const nodes = [liar(lie), new EvmNode(chain), new EvmNode(chain)]
    const { context } = open(nodes, false, every)
    const { block } = await checkLive(context, fetchedOf(withData(honest, lie)), signal)
    expect(block).toEqual(what === 'compared' ? honest : withData(honest, lie))
    expect(askedOf(nodes.slice(1))).toEqual(Array(2).fill(what === 'compared'))
  })

  test('is not compared where there is one node, or its logs are proven', async () => {
    const alone = new EvmNode(chain)
    await checkLive(open([alone], false, 4).context, fetchedOf(honest), signal)
    const nodes = [new EvmNode(chain), new EvmNode(chain)]
    const proven = { ...fetchedOf(honest), hasProvenLogs: true }
    expect(await checkLive(open(nodes, false, 4).context, proven, signal)).toBe(proven)
    expect(askedOf([alone, ...nodes])).toEqual([false, false, false])
  })

  test('that nodes disagree on is marked', async () => {
    const { context } = open([new EvmNode(chain), liar(lie)], false, 4)
    expect(await checkLive(context, fetchedOf(honest), signal)).toEqual({
      ...fetchedOf(honest),
      doubt: 'endpoints disagree',
    })
  })
})

describe('a sample of a range', () => {
  const rangeLogs = (node: EvmNode, endpoint = 0) => ({
    of: new Map(
      chain.map(({ raw }, number) => {
        const filter = { fromBlock: raw.number, toBlock: raw.number, topics: [topics0] }
        const logs = node.answer({ method: 'eth_getLogs', params: [filter] }) as RawLog[]
        return [number, { logs, endpoint }] as const
      }),
    ),
    answers: [{ first: 0, last: 3, endpoint }],
  })

  test('reads whole blocks of another node, and believes nothing of an answer that lied', async () => {
    const nodes = [liar(lie), new EvmNode(chain), new EvmNode(chain)]
    const { context, faults } = open(nodes, false, 2)
    const logs = rangeLogs(nodes[0]!)
    nodes[0]!.calls.splice(0)
    const wholes = await checkSample(context, logs, { signal })
    expect([...wholes.keys()].sort()).toEqual([1, 3])
    expect(wholes.get(3)!.block).toEqual(honest)
    expect(faults()).toContain('0: Logs of block 1 are not true')
    expect([...context.distrusted]).toEqual([0])
    expect([...logs.of.values()].map((one) => one.logs)).toEqual([null, null, null, null])
  })

  test('leaves an honest answer as it is, and blames the node that disputed it', async () => {
    const nodes = [new EvmNode(chain), new EvmNode(chain)]
    const { context, faults } = open(nodes, false, 0)
    const logs = rangeLogs(nodes[0]!)
    const wholes = await checkSample(context, logs, { signal }, [{ number: 2, endpoint: 1 }])
    expect([...wholes.keys()]).toEqual([2])
    expect(faults()).toEqual(['1: Logs of block 2 were told otherwise'])
    expect([...context.distrusted]).toEqual([])
    expect(logs.of.get(2)!.logs).toHaveLength(2)
  })
})
