import { encodeKey } from '../../lib/encodeKey.ts'
import type { KeyList } from '../../model/solana/solanaTransaction.ts'
import { keyBytes, type WireKeys } from './readWireMessage.ts'

/** A transaction's own keys, then those of lookup tables. To write all of them costs more than to decode the rest. */
export class WireKeyList implements KeyList {
  readonly length: number
  readonly #own: WireKeys
  readonly #texts: (string | undefined)[]

  constructor(own: WireKeys, loaded: readonly string[]) {
    this.#own = own
    this.#texts = [...new Array<undefined>(own.count), ...loaded]
    this.length = this.#texts.length
  }

  at(index: number): string | undefined {
    const known = this.#texts[index]
    if (known !== undefined || index < 0 || index >= this.length) return known
    const text = encodeKey(this.#own.bytes, this.#own.at + index * keyBytes)
    this.#texts[index] = text
    return text
  }

  indexOf(key: string): number {
    for (let index = 0; index < this.length; index++) if (this.at(index) === key) return index
    return -1
  }
}
