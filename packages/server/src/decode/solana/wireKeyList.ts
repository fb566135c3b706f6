import { encodeKey } from '../../lib/bytes/encodeKey.ts'
import type { KeyList } from '../../model/solana/solanaTransaction.ts'
import { keyBytes, type WireKeys } from './readWireMessage.ts'

/**
 * A transaction's own keys, then those of lookup tables, as text on demand: writing all of them
 * costs more than the rest of decoding.
 */
export class WireKeyList implements KeyList {
  readonly length: number
  readonly #own: WireKeys
  readonly #loaded: readonly string[]

  constructor(own: WireKeys, loaded: readonly string[]) {
    this.#own = own
    this.#loaded = loaded
    this.length = own.count + loaded.length
  }

  at(index: number): string | undefined {
    const { bytes, at, count } = this.#own
    if (index >= count) return this.#loaded[index - count]
    return index < 0 ? undefined : encodeKey(bytes, at + index * keyBytes)
  }

  indexOf(key: string): number {
    for (let index = 0; index < this.length; index++) if (this.at(index) === key) return index
    return -1
  }
}
