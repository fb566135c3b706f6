import { type GrpcEndpoint, streamBlocks } from '../../../chain/solana/grpc/grpcStream.ts'
import { readGrpcRef } from '../../../chain/solana/grpc/readGrpcBlock.ts'
import { solanaAnswerLimits } from '../../../chain/solana/solanaRpc.ts'
import type { SolanaChainSetup } from '../../../kinds/solana/solanaSetup.ts'
import { slotMs } from '../../../lib/slotTime.ts'
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

// One minute of slots.
const recentSlots = 60_000 / slotMs
// The same `getBlock` options as indexing uses.
export const getBlockConfig = {
  encoding: 'json',
  transactionDetails: 'full',
  rewards: false,
  maxSupportedTransactionVersion: 1,
}

/** What the checks need to know about a cluster and its nodes. */
export type SolanaNodesSetup = GrpcStreamsSetup &
  Pick<SolanaChainSetup, 'endpoints' | 'genesisHash'>

type Reached = { name: string; node: DoctorNode; head: number; findings: DoctorFinding[] }

/** Checks each node's cluster, blocks and transactions, then whether all nodes agree. */
export async function checkSolanaNodes(
  setup: SolanaNodesSetup,
  options: DoctorCheckOptions,
): Promise<DoctorFinding[]> {
  const opened: DoctorNode[] = []
  try {
    const asked = await Promise.all(
      setup.endpoints.map(async ({ httpUrl }, at): Promise<Reached | DoctorFinding> => {
        const url = new URL(httpUrl)
        const name = nodeDisplayName(setup.profile.name, at, url)
        const { secrets } = setup
        const node = openDoctorNode(url, {
          timeoutMs: nodeTimeoutMs,
          limits: solanaAnswerLimits,
          secrets,
        })
        opened.push(node)
        try {
          return await queryNode(name, node, setup, options)
        } catch (error) {
          return unreachableFinding(name, error)
        }
      }),
    )
    const reached = asked.filter((one): one is Reached => 'node' in one)
    const compared = reached.length === 0 ? [] : await compareNodes(setup.profile.name, reached)
    const streams = await checkStreams(setup)
    return [
      ...asked.flatMap((one) => ('node' in one ? one.findings : [one])),
      ...compared,
      ...streams,
    ]
  } finally {
    for (const node of opened) node.close()
  }
}

async function queryNode(
  name: string,
  node: DoctorNode,
  { genesisHash: wanted }: SolanaNodesSetup,
  { config, nowMs }: DoctorCheckOptions,
): Promise<Reached> {
  const { ok, warn, fail } = findingsOf(name)
  const genesis = node.hide(String(await node.ask('getGenesisHash')))
  const head = Number(await node.ask('getSlot', [{ commitment: 'finalized' }]))
  const first = await node.ask('getFirstAvailableBlock').catch(() => null)
  const timeS = await newestTimeS(node, head)
  // No finding without this method: many nodes and providers do not support it.
  const consensus = await node.ask('getAgGenesisCert').then(describeConsensus, () => null)
  const version = (await node.ask('getVersion').catch(() => null)) as Record<string, unknown> | null
  const client = version?.['solana-core']
  const findings = [
    ok('client', typeof client === 'string' ? node.hide(client).slice(0, 64) : 'Not reported.'),
    ...(consensus === null ? [] : [ok('consensus', consensus)]),
    wanted === undefined || wanted === genesis
      ? ok('genesis', `${genesis}.`)
      : fail(
          'genesis',
          `${genesis}; the config has ${wanted}.`,
          'The node belongs to another cluster: correct its http_url, or genesis_hash.',
        ),
    typeof first === 'number'
      ? ok('blocks', `From slot ${first} on.`)
      : warn(
          'blocks',
          'The first available block is not reported.',
          'History may begin later than configured.',
        ),
    timeS === null
      ? fail(
          'transactions',
          'Returns no block with its transactions.',
          'Use a node with getBlock and transaction history: without them nothing can be indexed.',
        )
      : ok('transactions', 'Returns the transactions of a block.'),
    await latencyFinding(name, () => node.ask('getSlot'), nowMs),
  ]
  if (timeS !== null)
    findings.push(
      headFinding(name, { number: head, timeS }, { nowMs, ageSMax: config.limits.head_age_s_max }),
    )
  return { name, node, head, findings }
}

/**
 * Describes the cluster's consensus, based on a node's certificate of the first Alpenglow block.
 * Null: unknown answer.
 */
export function describeConsensus(certificate: unknown): string | null {
  if (certificate === null) return 'Alpenglow is not active: final blocks follow confirmed ones.'
  if (typeof certificate !== 'object' || !('block' in certificate)) return null
  return 'Alpenglow is active: confirmed blocks are final, and processed ones are reverted more often.'
}

/**
 * Returns the time of the newest final block; null: the node returns no block with transactions.
 */
async function newestTimeS(node: DoctorNode, head: number): Promise<number | null> {
  const slots = await slotsUpTo(node, head)
  const block = await node.ask('getBlock', [slots.at(-1) ?? head, getBlockConfig]).catch(() => null)
  const { blockTime, transactions } = (block ?? {}) as Record<string, unknown>
  return Array.isArray(transactions) && typeof blockTime === 'number' ? blockTime : null
}

/** Returns slots that have a block, newest last. Some slots are skipped. */
async function slotsUpTo(node: DoctorNode, slot: number): Promise<readonly number[]> {
  const from = Math.max(0, slot - recentSlots)
  const slots = await node.ask('getBlocks', [from, slot]).catch(() => null)
  return Array.isArray(slots) ? slots.filter(Number.isSafeInteger) : []
}

/** Compares all nodes at the newest final block that every node should have. */
async function compareNodes(chain: string, reached: readonly Reached[]): Promise<DoctorFinding[]> {
  const lowest = reached.toSorted((one, other) => one.head - other.head)[0]!
  const common = (await slotsUpTo(lowest.node, lowest.head)).at(-1) ?? lowest.head
  const hashes: { name: string; hash: string | null }[] = []
  for (const { name, node } of reached) {
    const config = { ...getBlockConfig, transactionDetails: 'none' }
    const block = await node.ask('getBlock', [common, config]).catch(() => null)
    const { blockhash } = (block ?? {}) as Record<string, unknown>
    hashes.push({ name, hash: typeof blockhash === 'string' ? blockhash : null })
  }
  const heads = reached.map(({ name, head }) => ({ name, head, timeS: (head * slotMs) / 1_000 }))
  return [...lagFindings(heads), agreementFinding(chain, common, hashes)]
}

export type GrpcStreamsSetup = Pick<SolanaChainSetup, 'streams' | 'commitment' | 'secrets'> & {
  profile: Pick<SolanaChainSetup['profile'], 'name'>
}

/** Checks that each gRPC node streams a block at the configured commitment. */
export async function checkStreams(
  { profile, streams, commitment, secrets }: GrpcStreamsSetup,
  msMax = nodeTimeoutMs,
): Promise<DoctorFinding[]> {
  return await Promise.all(
    streams.map(async (endpoint, at) => {
      const name = `${profile.name} grpc[${at}] ${new URL(endpoint.url).host}`
      const { ok, warn, fail } = findingsOf(name)
      const { slot, fault } = await firstBlock({ ...endpoint, commitment, secrets }, msMax)
      if (slot !== null) return ok('stream', `Streams ${commitment} blocks: slot ${slot}.`)
      const advice = 'Correct its url, its token or the network, or remove it from grpc.'
      return commitment === 'processed'
        ? fail('stream', `${fault}: processed blocks come only from streams.`, advice)
        : warn('stream', `${fault}: blocks are read from rpc instead.`, advice)
    }),
  )
}

async function firstBlock(
  endpoint: GrpcEndpoint & Pick<GrpcStreamsSetup, 'commitment' | 'secrets'>,
  msMax: number,
): Promise<{ slot: number | null; fault: string }> {
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), msMax)
  let slot: number | null = null
  const ended = await streamBlocks({
    ...endpoint,
    signal: ending.signal,
    onBlock(bytes) {
      slot = readGrpcRef(bytes)?.number ?? null
      ending.abort()
    },
  })
  const fault = ending.signal.aborted ? `No block within ${msMax} ms` : ended
  clearTimeout(timer)
  return { slot, fault }
}
