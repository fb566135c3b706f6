import { WebSocket } from 'ws'
import { evmAnswerLimits } from '../../../chain/evm/rpc/evmRpc.ts'
import { boundedSocket } from '../../../chain/rpc/headSocket.ts'
import type { EvmChainSetup } from '../../../kinds/evm/evmSetup.ts'
import { blockNumberBelow, blockNumberDistance } from '../../../model/block.ts'
import { type DoctorNode, openDoctorNode } from '../doctorNode.ts'
import { type DoctorCheckOptions, type DoctorFinding, findingsOf } from '../finding.ts'
import {
  agreementFinding,
  headFinding,
  lagFindings,
  latencyFinding,
  nodeDisplayName,
  nodeTimeoutMs,
  unreachableFinding,
} from '../nodeFindings.ts'
import {
  checkBlock,
  type NodeAbilities,
  parseNodeBlock,
  planFinding,
  readNodeAbilities,
} from './evmNode.ts'

// Every synced node has the block this far below the head, and no reorg will replace it.
const reorgSafeBlocks = 16
// With a smaller log range, backfill takes too many requests.
const rangeBlocksPlenty = 100
// Number of blocks over which the block time is averaged.
const blockTimeBlocks = 1_000
// Ages of state to ask for. Every full node keeps the last one.
const depthsTried = [1_000_000, 100_000, 10_000, 1_024, 128]
const socketMsMax = 3_000
const zeroAddress = `0x${'0'.repeat(40)}`

/** What the checks need to know about a chain and its nodes. */
export type EvmNodesSetup = Pick<
  EvmChainSetup,
  'endpoints' | 'secrets' | 'chainId' | 'pollMs' | 'finality'
> & {
  profile: Pick<EvmChainSetup['profile'], 'name'>
  blocks: Pick<EvmChainSetup['blocks'], 'checks'>
}

/** A node that answered. */
type Reached = {
  name: string
  node: DoctorNode
  abilities: NodeAbilities
  findings: DoctorFinding[]
}

/** Checks each node for itself, then whether all nodes agree. */
export async function checkEvmNodes(
  setup: EvmNodesSetup,
  { config, nowMs }: DoctorCheckOptions,
): Promise<DoctorFinding[]> {
  const chain = setup.profile.name
  const opened: DoctorNode[] = []
  try {
    const asked = await Promise.all(
      setup.endpoints.map(async (endpoint, at): Promise<Reached | DoctorFinding> => {
        const { httpUrl, wsUrl } = endpoint
        const url = new URL(httpUrl)
        const name = nodeDisplayName(chain, at, url)
        const { secrets } = setup
        const node = openDoctorNode(url, {
          timeoutMs: nodeTimeoutMs,
          limits: evmAnswerLimits,
          secrets,
        })
        opened.push(node)
        try {
          const abilities = await readNodeAbilities(node)
          const { number, timeS } = abilities.head
          const findings = [
            ...abilityFindings(name, setup, abilities),
            headFinding(name, { number, timeS }, { nowMs, ageSMax: config.limits.head_age_s_max }),
            await latencyFinding(name, () => node.ask('eth_blockNumber'), nowMs),
          ]
          if (wsUrl !== undefined) findings.push(await socketFinding(name, wsUrl))
          const blockS = await blockTimeOf(node, abilities)
          if (blockS !== null) findings.push(planFinding(name, endpoint, { ...setup, blockS }))
          return { name, node, abilities, findings }
        } catch (error) {
          return unreachableFinding(name, error)
        }
      }),
    )
    const reached = asked.filter((one): one is Reached => 'node' in one)
    const compared = await compareNodes(setup, reached)
    const findings = asked.flatMap((one) => ('node' in one ? one.findings : [one]))
    return [...findings, ...compared]
  } finally {
    for (const node of opened) node.close()
  }
}

function abilityFindings(
  name: string,
  setup: EvmNodesSetup,
  abilities: NodeAbilities,
): DoctorFinding[] {
  const { ok, warn, fail } = findingsOf(name)
  const {
    chainId,
    client,
    finalizedNumber,
    hasBlockReceipts,
    acceptsBatches,
    logRangeBlocks: range,
  } = abilities
  const { number: newest } = abilities.head
  const isRight = setup.chainId === undefined || setup.chainId === chainId
  return [
    ok('client', client ?? 'Not reported.'),
    isRight
      ? ok('chain id', `${chainId}.`)
      : fail(
          'chain id',
          `${chainId}; the config has ${setup.chainId}.`,
          'The node belongs to another network: correct its http_url, or chain_id.',
        ),
    hasBlockReceipts
      ? ok('receipts', 'Returns all receipts of a block at once.')
      : warn(
          'receipts',
          'Refuses eth_getBlockReceipts.',
          'Add a node that supports it: receipts prove that no log is missing.',
        ),
    rangeOf(),
    finalizedNumber === null
      ? ok('final block', 'Not reported: a number of blocks in `finality` decides.')
      : ok('final block', `${finalizedNumber}.`),
    acceptsBatches
      ? ok('batches', 'Accepts several calls per request.')
      : warn(
          'batches',
          'Refuses batches.',
          'Each call needs its own request: see requests per day.',
        ),
  ]

  function rangeOf(): DoctorFinding {
    if (range >= Math.min(rangeBlocksPlenty, newest + 1))
      return ok('log range', `${range} blocks at once, or more.`)
    if (range > 0)
      return warn(
        'log range',
        `${range} blocks at once.`,
        'Enough for the head. Backfills need many requests: use another plan, or your own node.',
      )
    if (hasBlockReceipts)
      return warn(
        'log range',
        'Refuses eth_getLogs.',
        'Its blocks are read through receipts, one by one.',
      )
    return fail(
      'log range',
      'Refuses eth_getLogs.',
      'Without logs and receipts nothing can be indexed: use another node.',
    )
  }
}

/**
 * Average seconds between recent blocks; null: the node has too few blocks, or they share one
 * timestamp.
 */
async function blockTimeOf(node: DoctorNode, { head }: NodeAbilities): Promise<number | null> {
  const number = Math.max(1, blockNumberBelow(head.number, blockTimeBlocks))
  const raw = await node
    .ask('eth_getBlockByNumber', [`0x${number.toString(16)}`, false])
    .catch(() => null)
  const older = parseNodeBlock(raw)
  if (older === null || older.timeS >= head.timeS) return null
  return (head.timeS - older.timeS) / blockNumberDistance(older.number, head.number)
}

async function socketFinding(name: string, wsUrl: string): Promise<DoctorFinding> {
  const { ok, warn } = findingsOf(name)
  if (await answersOnSocket(wsUrl)) return ok('socket', 'Answers.')
  return warn(
    'socket',
    'Does not answer.',
    'Correct its ws_url: until then heads are polled and arrive slightly later.',
  )
}

function answersOnSocket(wsUrl: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(wsUrl, boundedSocket)
    const timer = setTimeout(() => end(false), socketMsMax)
    const end = (isTaken: boolean) => {
      clearTimeout(timer)
      socket.terminate()
      resolve(isTaken)
    }
    socket.once('open', () =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })),
    )
    socket.once('message', () => end(true))
    // Keep this listener after the answer: terminating a socket while it opens emits an error.
    socket.on('error', () => end(false))
  })
}

/** Compares all nodes with each other at a block that every node should have. */
async function compareNodes(
  setup: EvmNodesSetup,
  reached: readonly Reached[],
): Promise<DoctorFinding[]> {
  if (reached.length === 0) return []
  const { profile, blocks, chainId } = setup
  const common = Math.min(...reached.map(reorgSafeNumber))
  const hasArchive = reached.some(({ abilities }) => abilities.isArchive)
  const findings: DoctorFinding[] = []
  const hashes: { name: string; hash: string | null }[] = []
  for (const { name, node, abilities } of reached) {
    findings.push(await archiveFinding(name, node, abilities, hasArchive))
    const raw = await node
      .ask('eth_getBlockByNumber', [`0x${common.toString(16)}`, false])
      .catch(() => null)
    hashes.push({ name, hash: node.hide(parseNodeBlock(raw)?.hash ?? '') || null })
    const checks = { bloom: true, transactions: true, logIndexes: true, ...blocks.checks }
    if (parseNodeBlock(raw) !== null)
      findings.push(await checkBlock(name, node, raw, { abilities, checks, chainId }))
  }
  const heads = reached.map(({ name, abilities: { head } }) => ({
    name,
    head: head.number,
    timeS: head.timeS,
  }))
  findings.push(...lagFindings(heads))
  findings.push(agreementFinding(profile.name, common, hashes))
  return findings
}

/** Returns the newest block of the node that no reorg will replace. */
function reorgSafeNumber({ abilities }: Reached): number {
  const { head, finalizedNumber } = abilities
  const { number: newest } = head
  return Math.max(0, Math.min(finalizedNumber ?? newest, newest - reorgSafeBlocks))
}

/** Checks how old the oldest available state is. Discovered pools and holders need old state. */
async function archiveFinding(
  name: string,
  node: DoctorNode,
  { isArchive, head }: NodeAbilities,
  hasArchive: boolean,
): Promise<DoctorFinding> {
  const { ok, warn } = findingsOf(name)
  if (isArchive) return ok('archive', 'Has the state of every block.')
  let depth = 0
  const { number: newest } = head
  for (const blocks of depthsTried.filter((tried) => tried <= newest)) {
    const params = [zeroAddress, `0x${(newest - blocks).toString(16)}`]
    const balance = await node.ask('eth_getBalance', params).catch(() => null)
    if (balance !== null) depth = Math.max(depth, blocks)
  }
  const text = `Has the state of at least the newest ${depth} blocks, not of all.`
  if (hasArchive) return ok('archive', `${text} Another node of the chain has all.`)
  return warn(
    'archive',
    text,
    'Enough for the head. Backfills need an archive node (docs/operate/operating.md, "Nodes without old state").',
  )
}
