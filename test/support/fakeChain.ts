// A chain that exists only for tests, and its node: numbers with gaps, ids in base58, several pools
// in one transaction, and resulting balances instead of transfers. Its accounts are plain sums,
// which tests compare with.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

export const coin = 'So11111111111111111111111111111111111111112'
export const dollar = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
// Two tokens whose addresses differ in the case of one letter.
export const meme = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
export const memeTwin = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPb263'
export const nullAddress = '11111111111111111111111111111111'
export const program = idOf('program')
export const stablePool = idOf('stable pool')
export const memePool = idOf('meme pool')
export const twinPool = idOf('twin pool')
/** A second pool of the tokens of `memePool`. */
export const secondPool = idOf('second pool')

export const tokens: Record<string, { symbol: string; decimals: number }> = {
  [coin]: { symbol: 'COIN', decimals: 9 },
  [dollar]: { symbol: 'DOLLAR', decimals: 6 },
  [meme]: { symbol: 'MEME', decimals: 5 },
  [memeTwin]: { symbol: 'TWIN', decimals: 5 },
}

function base58Of(bytes: Uint8Array): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; value > 0n; value /= 58n) text = `${base58[Number(value % 58n)]}${text}`
  return `${'1'.repeat(bytes.findIndex((byte) => byte !== 0))}${text}`
}

/** An address of 32 bytes. */
export function idOf(name: string): string {
  return base58Of(createHash('sha256').update(name).digest())
}

/** A transaction signature of 64 bytes. */
export function signatureOf(name: string): string {
  return base58Of(createHash('sha512').update(name).digest())
}

/** One action of a transaction. Amounts are raw, as the pool sees them: positive comes in. */
export type FakeStep =
  | { type: 'open'; pool: string; token0: string; token1: string; amount0: bigint; amount1: bigint }
  | { type: 'deposit'; pool: string; amount0: bigint }
  /** A swap by the constant product formula. */
  | { type: 'trade'; pool: string; amount0: bigint }

export type FakeTransaction = { name: string; signer: string; steps: readonly FakeStep[] }

/** An event as the node returns it; amounts are texts. */
export type RawEvent = {
  type: FakeStep['type']
  pool: string
  token0: string
  token1: string
  amount0: string
  amount1: string
  /** Reserves after the event. */
  reserve0: string
  reserve1: string
}

export type RawTransaction = {
  signature: string
  signer: string
  events: RawEvent[]
  /** Changed balances after the transaction. */
  balances: { token: string; owner: string; amount: string }[]
}

export type RawBlock = {
  slot: number
  hash: string
  parentSlot: number
  parentHash: string
  timeS: number
  transactions: RawTransaction[]
}

type Pool = { token0: string; token1: string }
type State = { accounts: Map<string, bigint>; pools: Map<string, Pool> }

/** Raw amount of each token that every wallet owns at first. */
export const startAmount = 1_000_000_000_000n

export class FakeChain {
  readonly blocks: RawBlock[] = []
  /** State after each block. */
  readonly #states: State[] = []
  readonly #startS: number
  version = 0

  constructor(startS: number) {
    this.#startS = startS
  }

  get head(): RawBlock {
    return this.blocks.at(-1)!
  }

  /** Mines a block with this slot. Slots between it and the previous block stay empty. */
  mine(slot: number, transactions: readonly FakeTransaction[], branch = ''): RawBlock {
    const state = this.#copyState()
    const parent = this.blocks.at(-1)
    const block: RawBlock = {
      slot,
      hash: idOf(`block ${slot}${branch}`),
      timeS: this.#startS + slot,
      parentSlot: parent?.slot ?? -1,
      parentHash: parent?.hash ?? nullAddress,
      transactions: transactions.map((transaction) => run(state, transaction)),
    }
    this.blocks.push(block)
    this.#states.push(state)
    this.version += 1
    return block
  }

  /** Removes the newest blocks, as if they had never existed. */
  drop(count: number): void {
    this.blocks.splice(-count)
    this.#states.splice(-count)
    this.version += 1
  }

  amountOf(token: string, owner: string): bigint {
    return this.#state().accounts.get(`${token} ${owner}`) ?? 0n
  }

  /** Holders of a token, largest first. */
  holders(token: string): { owner: string; amount: bigint }[] {
    return [...this.#state().accounts]
      .filter(([key, amount]) => key.startsWith(`${token} `) && amount > 0n)
      .map(([key, amount]) => ({ owner: key.slice(token.length + 1), amount }))
      .sort((a, b) => (a.amount < b.amount ? 1 : -1))
  }

  /** Events of a pool, oldest first. */
  eventsOf(pool: string) {
    return this.blocks.flatMap((block) =>
      block.transactions.flatMap(({ events, signature, signer }) =>
        events
          .filter((event) => event.pool === pool)
          .map((event) => ({ ...event, signature, signer, slot: block.slot, timeS: block.timeS })),
      ),
    )
  }

  #state(): State {
    return this.#states.at(-1) ?? { accounts: new Map(), pools: new Map() }
  }

  #copyState(): State {
    const { accounts, pools } = this.#state()
    return { accounts: new Map(accounts), pools: new Map(pools) }
  }
}

function run({ accounts, pools }: State, { name, signer, steps }: FakeTransaction): RawTransaction {
  const touched = new Map<string, { token: string; owner: string; amount: bigint }>()
  const amountOf = (token: string, owner: string) =>
    accounts.get(`${token} ${owner}`) ?? (owner === signer ? startAmount : 0n)
  const move = (token: string, owner: string, by: bigint) => {
    const amount = amountOf(token, owner) + by
    accounts.set(`${token} ${owner}`, amount)
    touched.set(`${token} ${owner}`, { token, owner, amount })
  }
  const events = steps.map((step): RawEvent => {
    if (step.type === 'open') pools.set(step.pool, { token0: step.token0, token1: step.token1 })
    const { token0, token1 } = pools.get(step.pool)!
    const [has0, has1] = [amountOf(token0, step.pool), amountOf(token1, step.pool)]
    const amount1 =
      step.type === 'open'
        ? step.amount1
        : step.type === 'deposit'
          ? (has1 * step.amount0) / has0
          : (has0 * has1) / (has0 + step.amount0) - has1
    for (const [token, amount] of [
      [token0, step.amount0],
      [token1, amount1],
    ] as const) {
      move(token, signer, -amount)
      move(token, step.pool, amount)
    }
    return {
      type: step.type,
      pool: step.pool,
      token0,
      token1,
      amount0: `${step.amount0}`,
      amount1: `${amount1}`,
      reserve0: `${has0 + step.amount0}`,
      reserve1: `${has1 + amount1}`,
    }
  })
  const balances = [...touched.values()].map((each) => ({ ...each, amount: `${each.amount}` }))
  return { signature: signatureOf(name), signer, events, balances }
}

/** The node's answer to `/`: the whole canonical chain, or null if it did not change. */
export type NodeAnswer = { version: number; blocks: RawBlock[] | null }

export async function startFakeNode(chain: FakeChain) {
  const server = createServer((request, response) => {
    const known = Number(new URL(request.url!, 'http://node').searchParams.get('version'))
    const { version, blocks } = chain
    const answer: NodeAnswer = { version, blocks: known === version ? null : blocks }
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
