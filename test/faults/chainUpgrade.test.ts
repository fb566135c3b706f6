// A chain upgrade that breaks a rule that blocks are checked by: the chain must neither stop
// forever nor change unnoticed. A lying node must gain nothing from this.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { degradeAfterMs } from '../../packages/server/src/chain/evm/verify/failedChecks.ts'
import { type ChainNode, startChainNode } from '../support/chainNode.ts'
import { type ChainReader, openReader, type ReaderOptions } from '../support/chainReader.ts'
import { noChaos, startChaosRpc } from '../support/chaosRpc.ts'
import { type RpcCall, refusal } from '../support/rpcProxy.ts'
import { until } from '../support/until.ts'

type Block = { number: string; logsBloom: string; gasUsed: string }
type Log = { blockNumber: string; data: string }

// The first block of the upgrade.
const upgradeNumber = 12
const clock = { ms: 0 }

let node: ChainNode
let headNumber = 0
let closers: (() => Promise<void>)[] = []

beforeEach(async () => {
  node = await startChainNode()
  closers = [node.close]
  clock.ms = Date.now()
  headNumber = 15
  await node.mine(headNumber - (await node.headNumber()), () => 4)
})

afterEach(async () => {
  for (const close of closers.reverse()) await close()
})

/** Starts a node whose blocks and logs since the upgrade are changed by these functions. */
async function startNode(
  changeBlock: (block: Block) => object,
  { changeLog = (log: Log): Log => log, isDown = (): boolean => false } = {},
): Promise<string> {
  const isNew = (quantity: string) => Number(quantity) >= upgradeNumber
  const proxy = await startChaosRpc({
    ...{ targetUrl: node.rpcUrl, seed: 's', rates: noChaos },
    intercept: (call: RpcCall) =>
      isDown() ? Promise.resolve(refusal(call, 'Down', -32_005)) : undefined,
    alter({ method }, result) {
      if (method === 'eth_getLogs')
        return (result as Log[]).map((log) => (isNew(log.blockNumber) ? changeLog(log) : log))
      if (!method.startsWith('eth_getBlockBy') || result === null) return result
      const block = result as Block
      return isNew(block.number) ? { ...block, ...changeBlock(block) } : block
    },
  })
  closers.push(proxy.close)
  return proxy.url
}

function read(urls: readonly string[], source: ReaderOptions['source'] = {}): ChainReader {
  const reader = openReader({
    endpoints: urls.map((httpUrl) => ({ httpUrl })),
    source: { clock: { nowMs: () => clock.ms }, ...source },
  })
  closers.push(reader.close)
  return reader
}

const isAtHead = ({ blocks }: ChainReader) => blocks.at(-1)?.ref.number === headNumber

async function expectCanonical(reader: ChainReader): Promise<void> {
  await reader.until(() => isAtHead(reader))
  expect(reader.blocks).toEqual(await node.readAll(reader.blocks[0]!.ref.number))
}

/** Reads up to the head in the background. Await `reading` before reading further. */
function readOn(reader: ChainReader): { reading: Promise<void> } {
  const reading = reader.until(() => isAtHead(reader))
  // The reader may stall until its test ends and closes it; this handler prevents an unhandled
  // rejection.
  reading.catch(() => undefined)
  return { reading }
}

async function untilReported(reader: ChainReader, text: string): Promise<void> {
  await until(text, () => reader.progress().failedCheck?.includes(text) ?? false)
}

/** Waits until all endpoints have failed once more. */
async function untilPolledAgain({ rpc }: ChainReader): Promise<void> {
  const faults = () => rpc.status().reduce((sum, { faultCount }) => sum + faultCount, 0)
  const before = faults()
  // A failing block is requested six times from each of the two endpoints.
  await until('it has failed again', () => faults() >= before + 12)
}

// Changed bloom filters, as on Avalanche since its upgrade Helicon. Header hashes are not verified.
const bloom = (): Pick<Block, 'logsBloom'> => ({ logsBloom: `0x${'0'.repeat(511)}1` })
const hashless = { checks: { headerHash: false } }
const gasUsed = () => ({ gasUsed: '0x1234' })
const newField = () => ({ ...gasUsed(), newRoot: '0x12' })

const agreed = 'the endpoints agree on the block'

test.each([
  ['bloom', bloom, hashless],
  ['header_hash', gasUsed, {}],
])(
  'default: every endpoint fails %s: it is reported, and the chain continues after ten minutes',
  async (check, change, source) => {
    // Starts so near the head that the reader reads block by block.
    const live = { ...source, startBlock: 8 }
    const reader = read([await startNode(change), await startNode(change)], live)
    const { reading } = readOn(reader)
    await untilReported(reader, agreed)
    const { failedCheck, lastError, cursorNumber } = reader.progress()
    expect(failedCheck).toContain(`every endpoint fails the check ${check} since block 12,`)
    expect(failedCheck).toContain(
      `chains.local.node_checks: {"${check}": false} turns the check off`,
    )
    expect(lastError!.text).toContain(failedCheck)
    expect(cursorNumber).toBeLessThan(upgradeNumber)
    clock.ms += degradeAfterMs
    await reading
    expect(reader.progress().failedCheck).toContain('agree are read without it')
    await expectCanonical(reader)
    await node.mine(3, () => 4)
    headNumber += 3
    await expectCanonical(reader)
  },
)

test('behavior: with one endpoint the chain waits', async () => {
  const reader = read([await startNode(bloom)], hashless)
  readOn(reader)
  await untilReported(reader, 'no second endpoint of another host confirms the block')
  clock.ms += 10 * degradeAfterMs
  await untilPolledAgain(reader)
  expect(reader.progress().cursorNumber).toBeLessThan(upgradeNumber)
})

test.each([
  ['a filter', bloom, hashless],
  ['a field', gasUsed, {}],
  ['a field, and adds one', newField, {}],
])(
  'behavior: a node that changes %s is not trusted, even while the honest node is down',
  async (_, change, source) => {
    let isDown = false
    const urls = [await startNode(change), await startNode(() => ({}), { isDown: () => isDown })]
    const reader = read(urls, source)
    await expectCanonical(reader)
    expect(reader.progress().failedCheck).toBeNull()
    isDown = true
    await node.mine(2, () => 4)
    headNumber += 2
    const { reading } = readOn(reader)
    await untilReported(reader, 'no second endpoint of another host confirms the block')
    clock.ms += 10 * degradeAfterMs
    await untilPolledAgain(reader)
    expect(reader.blocks.at(-1)!.ref.number).toBe(headNumber - 2)
    isDown = false
    await reading
    await expectCanonical(reader)
    expect(reader.progress().failedCheck).toBeNull()
  },
)

test('behavior: a lying minority neither stops an upgraded chain nor is trusted', async () => {
  const changeLog = (log: Log) => ({ ...log, data: `0x${'7'.repeat(64)}` })
  const urls = [await startNode(bloom, { changeLog }), await startNode(bloom)]
  const two = read(urls, hashless)
  readOn(two)
  await untilReported(two, 'the endpoints disagree on the block')
  clock.ms += 10 * degradeAfterMs
  await untilPolledAgain(two)
  expect(two.progress().cursorNumber).toBeLessThan(upgradeNumber)
  const three = read([...urls, await startNode(bloom)], hashless)
  const { reading } = readOn(three)
  await untilReported(three, agreed)
  clock.ms += degradeAfterMs
  await reading
  await expectCanonical(three)
})

test('behavior: a new field that independent endpoints report permits a header at once', async () => {
  const reader = read([await startNode(newField), await startNode(newField)])
  await expectCanonical(reader)
  expect(reader.progress().failedCheck).toContain('fails the check header_hash since block 12,')
})
