import { type Clock, type GatewayChain, nowSOf } from '../gatewayChain.ts'
import type { RowWindows } from './rowWindows.ts'
import { tokenHead } from './tokenRow.ts'
import type { WindowCache } from './windowCache.ts'

/** JSON of tokens as lists show them. */
export type TokenTexts = {
  of(chain: GatewayChain, tokenId: number): string
  /** Not put together. */
  parts(chain: GatewayChain, tokenId: number): TokenText
}

/** A row is its head, its windows and a brace. */
export type TokenText = {
  head: string
  /** In UTF-8. */
  headBytes: number
  /** ASCII. */
  windows: string
}

export type TokenTextsOptions = {
  clock: Clock
  /** Texts kept of each chain; the first made go first. */
  countMax: number
  windowsOf: WindowCache<RowWindows>
}

/** `text` is null: asked for once since the market changed. */
type Held = { version: number; validUntilS: number; text: TokenText | null }

/**
 * What is short-lived must not be kept long: a chain with many blocks a second voids thousands of texts a second, and
 * each that is still held when garbage is collected is moved and has to be searched for later. So only the first part of a
 * row is its own, most of it being the text of its windows, which outlives blocks; and it is kept when it is asked for again.
 */
export function createTokenTexts({ clock, countMax, windowsOf }: TokenTextsOptions): TokenTexts {
  /** A chain that starts anew is another object: its texts go with it. */
  const byChain = new WeakMap<GatewayChain, Map<number, Held>>()

  function heldOf(chain: GatewayChain): Map<number, Held> {
    let held = byChain.get(chain)
    if (held === undefined) {
      held = new Map()
      byChain.set(chain, held)
    }
    return held
  }

  function parts(chain: GatewayChain, tokenId: number): TokenText {
    const ofChain = heldOf(chain)
    const version = chain.version()
    const nowS = nowSOf(chain, clock)
    const held = ofChain.get(tokenId)
    const isHeld = held?.version === version && nowS < held.validUntilS
    if (isHeld && held.text !== null) return held.text
    const { value, validUntilS } = windowsOf(chain, tokenId, nowS)
    const head = tokenHead(chain, tokenId, value.day)
    // Counting makes one text of its hundred parts, which would be held as long as it is.
    const text = { head, headBytes: Buffer.byteLength(head), windows: value.text }
    if (isHeld) held.text = text
    else if (held !== undefined) {
      held.version = version
      held.validUntilS = validUntilS
      held.text = null
    } else {
      if (ofChain.size >= countMax) ofChain.delete(ofChain.keys().next().value!)
      ofChain.set(tokenId, { version, validUntilS, text: null })
    }
    return text
  }

  return {
    parts,
    of(chain, tokenId) {
      const { head, windows } = parts(chain, tokenId)
      return `${head}${windows}}`
    },
  }
}
