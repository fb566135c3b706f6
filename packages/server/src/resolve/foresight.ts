import type { ChainReader, PoolAnswer, ReadPoint, TokenAnswer } from './chainReader.ts'

/** A reader that can be told what will be asked soon, so that the answer is there when it is. */
export type Foresight = ChainReader & {
  foresee(query: { pools: readonly string[]; tokens: readonly string[]; at: ReadPoint }): void
}

/** Answers under way or waiting to be asked for; the oldest is let go first. */
class Answers<answer> {
  readonly #promises = new Map<string, Promise<answer>>()
  readonly #countMax: number

  constructor(countMax: number) {
    this.#countMax = countMax
  }

  has(key: string): boolean {
    return this.#promises.has(key)
  }

  put(key: string, promise: Promise<answer>): void {
    // A failure is met by whoever asks; if nobody does, it is none.
    promise.catch(() => undefined)
    this.#promises.set(key, promise)
    if (this.#promises.size > this.#countMax)
      this.#promises.delete(this.#promises.keys().next().value!)
  }

  take(key: string): Promise<answer> | undefined {
    const promise = this.#promises.get(key)
    this.#promises.delete(key)
    return promise
  }
}

export function createForesight(reader: ChainReader, countMax: number): Foresight {
  const tokens = new Answers<TokenAnswer>(countMax)
  const pools = new Answers<PoolAnswer | null>(countMax)
  // What a token says of itself is as of a block; what a pool says never changes.
  const tokenKey = (address: string, at: ReadPoint) => `${at.hash} ${address}`

  return {
    ...reader,
    foresee(query) {
      const { at } = query
      const newTokens = query.tokens.filter((token) => !tokens.has(tokenKey(token, at)))
      begin(
        newTokens,
        (asked) => reader.readTokens(asked, at, false),
        (token, answer) => tokens.put(tokenKey(token, at), answer),
      )
      const newPools = query.pools.filter((pool) => !pools.has(pool))
      begin(
        newPools,
        (asked) => reader.readPools(asked, at),
        (pool, answer) => pools.put(pool, answer),
      )
    },
    readTokens: (addresses, at, isLive) =>
      takeOrAsk(
        addresses,
        (address) => tokens.take(tokenKey(address, at)),
        (rest) => reader.readTokens(rest, at, isLive),
      ),
    readPools: (addresses, at) =>
      takeOrAsk(
        addresses,
        (address) => pools.take(address),
        (rest) => reader.readPools(rest, at),
      ),
  }
}

/** One question for all, and its answer for each. */
function begin<answer>(
  keys: readonly string[],
  ask: (keys: readonly string[]) => Promise<readonly answer[]>,
  put: (key: string, answer: Promise<answer>) => void,
): void {
  if (keys.length === 0) return
  const answers = ask(keys)
  answers.catch(() => undefined)
  for (const [i, key] of keys.entries())
    put(
      key,
      answers.then((all) => all[i]!),
    )
}

/** In order; what was not foreseen, or failed then, is asked for now. */
async function takeOrAsk<answer>(
  keys: readonly string[],
  take: (key: string) => Promise<answer> | undefined,
  ask: (keys: readonly string[]) => Promise<readonly answer[]>,
): Promise<answer[]> {
  const foreseen = await Promise.all(
    keys.map((key) =>
      take(key)
        ?.then((answer) => ({ answer }))
        .catch(() => undefined),
    ),
  )
  const rest = keys.filter((_, i) => foreseen[i] === undefined)
  const asked = rest.length === 0 ? [] : await ask(rest)
  let next = 0
  return foreseen.map((known) => (known === undefined ? asked[next++]! : known.answer))
}
