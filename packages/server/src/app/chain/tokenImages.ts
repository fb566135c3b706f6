import type { TokenImages } from '../../gateway/chain/gatewayChain.ts'
import { BoundedMap } from '../../lib/boundedMap.ts'

export type TokenImagesOptions = {
  /** Returns image URLs by token. Tokens without a known image are absent. */
  readImages(tokens: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  clock: { nowMs(): number }
  limits?: Partial<TokenImagesLimits> | undefined
}

export type TokenImagesLimits = {
  /** Tokens kept in the cache. */
  tokensMax: number
  /** Tokens queued for a request. A token beyond this is queued when it is shown again. */
  queueMax: number
  /** Tokens per request. */
  batchMax: number
  batchMsMax: number
  /**
   * Cached image URLs expire after this time; `emptyAgeMsMax` applies to tokens without an image.
   */
  ageMsMax: number
  emptyAgeMsMax: number
}

const limitsDefault: TokenImagesLimits = {
  tokensMax: 20_000,
  queueMax: 1_000,
  batchMax: 16,
  batchMsMax: 30_000,
  ageMsMax: 6 * 3_600_000,
  emptyAgeMsMax: 600_000,
}

/**
 * Cache of image URLs for tokens that answers show. Reads never wait: an unknown token is fetched
 * in the background for the next caller.
 */
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
      if (isDue && waiting.size < limits.queueMax) {
        waiting.add(token)
        // Runs in the background, so the current answer does not wait for the node.
        if (!isAsking) void askAll()
      }
      return found?.url ?? ''
    },
  }
}
