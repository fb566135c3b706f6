import { toQuantity } from '../fetch/rawBlock.ts'
import type { EvmRpc } from '../rpc/evmRpc.ts'
import { hasSign, type Sign, signCall } from './presence.ts'

export type ContractQuery = {
  rpc: EvmRpc
  address: string
  /** It is there at this block. */
  block: { number: number }
  signal?: AbortSignal | undefined
  /** Places asked about at once. @default 15: seven rounds of them reach any block of any chain */
  pointsPerRound?: number | undefined
  /** Everything else goes first. @default false */
  isBackground?: boolean | undefined
}

const pointsPerRoundDefault = 15

/** The block a contract was made in. Null when no node has the state of old blocks; throws when none answers. */
export async function findCreationBlock(query: ContractQuery): Promise<number | null> {
  const found = await firstBlockWith('code', query)
  if (found !== query.block.number) return found
  // Created in this very block, or a token without code.
  const [hasCode] = (await haveSign('code', query, [found])) ?? []
  return hasCode === false ? await firstBlockWith('answer', query) : found
}

/** `query.block` where no block before it has the sign. */
async function firstBlockWith(sign: Sign, query: ContractQuery): Promise<number | null> {
  const { pointsPerRound = pointsPerRoundDefault } = query
  let without = -1
  let withCode = query.block.number
  while (withCode - without > 1) {
    const step = Math.max(1, Math.ceil((withCode - without) / (pointsPerRound + 1)))
    const points: number[] = []
    for (let at = without + step; at < withCode; at += step) points.push(at)
    const found = await haveSign(sign, query, points)
    if (found === null) return null
    const first = found.indexOf(true)
    if (first === -1) without = points.at(-1)!
    else {
      withCode = points[first]!
      if (first > 0) without = points[first - 1]!
    }
  }
  return withCode
}

/** Whether there was code after each of these blocks. Null: no node has the state of one of them. */
export function haveCode(
  query: Omit<ContractQuery, 'block'>,
  points: readonly number[],
): Promise<boolean[] | null> {
  return haveSign('code', query, points)
}

async function haveSign(
  sign: Sign,
  { rpc, address, signal, isBackground }: Omit<ContractQuery, 'block'>,
  points: readonly number[],
): Promise<boolean[] | null> {
  const calls = points.map((at) => signCall(sign, address, toQuantity(at)))
  // Once round all nodes: state that is not there now will not be there in a second.
  const results = await rpc.requestBatch(calls, { signal, isBackground, roundsMax: 1 })
  const found: boolean[] = []
  for (const result of results) {
    const has = hasSign(result)
    if (has !== null) found.push(has)
    else if (result.ok || result.error.kind === 'notFound') return null
    else throw result.error
  }
  return found
}

/** Unix seconds of a header as it was sent; null: it has none. */
export function timeOfHeader(raw: unknown): number | null {
  const timestamp = (raw as { timestamp?: unknown } | null)?.timestamp
  return typeof timestamp === 'string' && /^0x[0-9a-f]+$/i.test(timestamp)
    ? Number(timestamp)
    : null
}
