import { RpcError } from '../../chain/errors.ts'
import { AppError } from '../../lib/errors.ts'
import { type DoctorFinding, findingsOf } from './finding.ts'

/** Time limit of one request to a node. */
export const nodeTimeoutMs = 10_000

const latencySamples = 5
const latencyMsPlenty = 500
// Network delay cannot explain a head further in the future than this.
const futureSMax = 15

/**
 * Names a node by its position in `rpc` and its host. The position tells two nodes of one provider
 * apart, and the host contains no key.
 */
export function nodeDisplayName(chain: string, at: number, url: URL): string {
  return `${chain} rpc[${at}] ${url.host}`
}

/** Finding for a node that does not answer, or does not answer like a node. */
export function unreachableFinding(name: string, error: unknown): DoctorFinding {
  if (!(error instanceof AppError)) throw error
  const said = error.cause instanceof AppError ? error.cause : error
  const detail = said instanceof RpcError ? ` (${said.detail})` : ''
  return findingsOf(name).fail(
    'connection',
    `${said.shortMessage}${detail}`,
    'Correct its http_url, its key or the network, or remove it from rpc.',
  )
}

/** Measures the latency of `ask`, which must be a cheap request for the node. */
export async function latencyFinding(
  name: string,
  ask: () => Promise<unknown>,
  nowMs: () => number,
): Promise<DoctorFinding> {
  const { ok, warn } = findingsOf(name)
  const times: number[] = []
  for (let asked = 0; asked < latencySamples; asked += 1) {
    const startMs = nowMs()
    await ask()
    times.push(nowMs() - startMs)
  }
  const median = times.toSorted((one, other) => one - other)[Math.floor(latencySamples / 2)]!
  const text = `${median.toFixed(0)} ms per request (median of ${latencySamples}).`
  if (median <= latencyMsPlenty) return ok('latency', text)
  return warn('latency', text, 'With a nearer node every block arrives sooner.')
}

/** Judges the age of the node's newest block by this machine's clock. */
export function headFinding(
  name: string,
  { number, timeS }: { number: number; timeS: number },
  { nowMs, ageSMax }: { nowMs: () => number; ageSMax: number },
): DoctorFinding {
  const { ok, warn, fail } = findingsOf(name)
  const ageS = Math.round(nowMs() / 1_000 - timeS)
  if (ageS < -futureSMax)
    return fail(
      'head',
      `Block ${number} is ${-ageS} s in the future.`,
      'Synchronize the clock of this machine with a time service (chrony, systemd-timesyncd).',
    )
  const text = `Block ${number}, ${Math.max(0, ageS)} s old.`
  if (ageS <= ageSMax) return ok('head', text)
  return warn(
    'head',
    text,
    'The node is syncing or has stopped, the chain produces no blocks, or the clock of this machine is ahead.',
  )
}

/** A node that answered, with its newest block. */
export type NodeHead = { name: string; head: number; timeS: number }

/** A node lags only if it exceeds both limits: its distance in blocks, and in seconds. */
const lagBlocksMin = 16
const lagSMax = 30

/**
 * Returns findings for nodes of one chain whose lag behind the foremost node exceeds network delay.
 */
export function lagFindings(nodes: readonly NodeHead[]): DoctorFinding[] {
  const foremost = Math.max(...nodes.map(({ head }) => head))
  const foremostS = Math.max(...nodes.map(({ timeS }) => timeS))
  return nodes
    .filter(({ head, timeS }) => foremost - head > lagBlocksMin && foremostS - timeS > lagSMax)
    .map(({ name, head }) =>
      findingsOf(name).warn(
        'lag',
        `It is ${foremost - head} blocks behind the most advanced node.`,
        'The node is syncing or overloaded: move it to the end of rpc, or remove it.',
      ),
    )
}

/**
 * Judges whether all nodes report the same hash for a block. In `hashes`, null means that the node
 * does not have the block.
 */
export function agreementFinding(
  chain: string,
  block: number,
  hashes: readonly { name: string; hash: string | null }[],
): DoctorFinding {
  const { ok, fail } = findingsOf(chain)
  const byHash = new Map<string, string[]>()
  for (const { name, hash } of hashes) {
    const key = hash ?? 'no block'
    byHash.set(key, [...(byHash.get(key) ?? []), name])
  }
  if (byHash.size === 1 && !byHash.has('no block'))
    return ok('agreement', `All ${hashes.length} nodes have the same block ${block}.`)
  const sides = [...byHash].map(([hash, names]) => `${hash} by ${names.join(', ')}`)
  return fail(
    'agreement',
    `Block ${block} is ${sides.join('; ')}.`,
    'One of them follows another chain or fork, or is wrong: compare with a block explorer, and remove it from rpc.',
  )
}
