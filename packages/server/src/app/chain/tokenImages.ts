import type { TokenImages } from '../../gateway/gatewayChain.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'

export type TokenImagesOptions = {
  /** What is not known is not in it. */
  readImages(tokens: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  clock: { nowMs(): number }
  limits?: Partial<TokenImagesLimits> | undefined
}

export type TokenImagesLimits = {
  /** Tokens remembered. */
  tokensMax: number
  /** Tokens that wait to be asked for; more are left until they are shown again. */
  waitingMax: number
  /** Asked for at once. */
  batchMax: number
  batchMsMax: number
  /** After this a token is asked for again; sooner where it had no image. */
  ageMsMax: number
  emptyAgeMsMax: number
}

const limitsDefault: TokenImagesLimits = {
  tokensMax: 20_000,
  waitingMax: 1_000,
  batchMax: 16,
  batchMsMax: 30_000,
  ageMsMax: 6 * 3_600_000,
  emptyAgeMsMax: 600_000,
}

/** Images of tokens that are shown: learnt one batch after the other while nobody waits, for whoever asks next. */
export function createTokenImages(options: TokenImagesOptions): TokenImages {
  const { readImages, clock } = options
  const limits = { ...limitsDefault, ...options.limits }
  const known = new BoundedMap<string, { url: string; dueMs: number }>(limits.tokensMax)
  const waiting = new Set<string>()
  let isAsking = false

  function remember(tokens: readonly string[], images: ReadonlyMap<string, string>): void {
    const nowMs = clock.nowMs()
    for (const token of tokens) {
      const url = images.get(token) || (known.get(token)?.url ?? '')
      const ageMs = images.get(token) ? limits.ageMsMax : limits.emptyAgeMsMax
      known.set(token, { url, dueMs: nowMs + ageMs })
    }
  }

  async function askAll(): Promise<void> {
    isAsking = true
    try {
      while (waiting.size > 0) {
        const tokens = [...waiting].slice(0, limits.batchMax)
        const images = await readImages(tokens, AbortSignal.timeout(limits.batchMsMax))
        remember(tokens, images)
        for (const token of tokens) waiting.delete(token)
      }
    } finally {
      isAsking = false
    }
  }

  return {
    of(token) {
      const found = known.get(token)
      const isDue = found === undefined || clock.nowMs() >= found.dueMs
      if (isDue && waiting.size < limits.waitingMax) {
        waiting.add(token)
        // Not before whoever is being answered is.
        if (!isAsking) void askAll()
      }
      return found?.url ?? ''
    },
  }
}
