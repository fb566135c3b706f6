import type { ApiKey } from '../../keys/apiKey.ts'
import type { KeyHolder } from '../../keys/keyAccess.ts'

/** What a socket needs to know of its key. */
export type SocketHolder = Pick<KeyHolder, 'plan' | 'fault'> & { key: Pick<ApiKey, 'id'> }

/** The part of `KeyAccess` that sockets use. */
export type SocketKeys = {
  identify(text: string | undefined): SocketHolder | Promise<SocketHolder>
}

/** Counts the open sockets of each key. */
export class KeySockets {
  readonly #countById = new Map<number, number>()

  /** False: the key has as many as its plan allows. */
  take({ key, plan }: SocketHolder): boolean {
    const count = this.#countById.get(key.id) ?? 0
    if (plan.socketsMax !== null && count >= plan.socketsMax) return false
    this.#countById.set(key.id, count + 1)
    return true
  }

  give({ key }: SocketHolder): void {
    const count = this.#countById.get(key.id) ?? 0
    if (count > 1) this.#countById.set(key.id, count - 1)
    else this.#countById.delete(key.id)
  }
}
