import type { ChainHealth, ReadyBody } from '@chaintape/protocol'
import type { Clock, GatewayChain, GatewayChains } from '../gatewayChain.ts'

/** GET /health/ready: ready once every chain has an applied block; troubles after that are warnings. */
export function readyBody(
  chains: GatewayChains,
  { clock, headAgeSMax }: { clock: Clock; headAgeSMax: number },
): ReadyBody {
  const healths = [...chains].map(([name, chain]): [string, ChainHealth] => [
    name,
    chainHealth(chain, clock),
  ])
  const reasons = healths.flatMap(([name, health]) => reasonsOf(name, health))
  if (healths.length === 0) reasons.push('No chain is running yet.')
  return {
    ready: reasons.length === 0,
    reasons,
    warnings: healths.flatMap(([name, health]) => [
      ...warningsOf(name, health, headAgeSMax),
      ...endpointWarningsOf(name, chains.get(name)!),
    ]),
    chains: Object.fromEntries(healths),
  }
}

export function chainHealth({ reads, status }: GatewayChain, clock: Clock): ChainHealth {
  const head = reads.head()
  const now = status()
  const nowS = Math.floor(clock.nowMs() / 1_000)
  return {
    ready: head !== null,
    state: now.state,
    head_block: head?.number ?? null,
    head_time: head?.timeS ?? null,
    head_age_s: head === null ? null : Math.max(0, nowS - head.timeS),
    finalized_block: head === null ? null : reads.finalizedNumber(),
    tip_block: now.tipNumber,
    lag_blocks:
      head === null || now.tipNumber === null ? null : Math.max(0, now.tipNumber - head.number),
    persisted_block: now.persistedNumber,
    queue_blocks: now.queueBlocks,
    queue_blocks_max: now.queueBlocksMax,
    paused_reason: now.pausedReason,
    database_error: now.databaseError,
    rpc_error: now.rpcError,
  }
}

function reasonsOf(name: string, health: ChainHealth): string[] {
  if (health.ready) return []
  const because = health.rpc_error ?? health.database_error ?? health.paused_reason
  const tip = health.tip_block === null ? 'no node has answered' : `the tip is ${health.tip_block}`
  return [`${name}: no block is applied yet (${health.state}, ${because ?? tip})`]
}

function warningsOf(name: string, health: ChainHealth, headAgeSMax: number): string[] {
  const warnings: string[] = []
  if (health.database_error !== null)
    warnings.push(`${name}: the database does not answer: ${health.database_error}`)
  if (health.rpc_error !== null) warnings.push(`${name}: no node answers: ${health.rpc_error}`)
  if (health.paused_reason !== null)
    warnings.push(`${name}: ingestion is paused: ${health.paused_reason}`)
  if (health.queue_blocks * 2 > health.queue_blocks_max)
    warnings.push(
      `${name}: ${health.queue_blocks} of ${health.queue_blocks_max} blocks wait for the database`,
    )
  if (health.head_age_s !== null && health.head_age_s > headAgeSMax)
    warnings.push(`${name}: the newest block is ${health.head_age_s} s old`)
  return warnings
}

function endpointWarningsOf(name: string, { status }: GatewayChain): string[] {
  return status().endpointFaults.map((fault) => `${name}: an endpoint is asked last: ${fault}`)
}
