import type { ClosedSocketCount } from '../../store/keys/usage.ts'
import type { ApiKey } from './apiKey.ts'
import type { Caller } from './keyAccess.ts'

/** The parts of a key holder that a WebSocket needs. */
export type SocketCaller = Pick<Caller, 'plan' | 'fault'> & { key: Pick<ApiKey, 'id'> }

/** The part of `KeyAccess` that WebSockets use. */
export type SocketKeyAccess = {
  identify(text: string | undefined): SocketCaller | Promise<SocketCaller>
  /** Open sockets of each key. @default counts the sockets of this process only */
  readonly sockets?: KeySockets | undefined
}

/**
 * Counts a socket of a key in the store. Resolves to false if all processes together have
 * `socketsMax`, and to null if the store does not answer.
 */
type TakeStored = (socket: { keyId: number; socketsMax: number }) => Promise<boolean | null>

/**
 * Sockets of a key in this process. `stored` is the number counted in the store, including closed
 * sockets until they are reported.
 */
type OpenSockets = { open: number; stored: number }

/**
 * Enforces `socketsMax` of plans: counts the open sockets of each key. With `takeStored`, the store
 * counts those of all processes. It is asked when a socket opens; closed sockets are reported with
 * the next flush of usage. While the store does not answer, each process counts its own sockets.
 */
export class KeySockets {
  readonly #takeStored: TakeStored | null
  readonly #byKey = new Map<number, OpenSockets>()

  constructor(takeStored: TakeStored | null = null) {
    this.#takeStored = takeStored
  }

  /**
   * Counts a new socket. Returns false if the key has as many as its plan allows, and a promise
   * only if the store is asked.
   */
  acquire({ key, plan: { socketsMax } }: SocketCaller): boolean | Promise<boolean> {
    const sockets = this.#byKey.get(key.id) ?? { open: 0, stored: 0 }
    if (socketsMax !== null && sockets.open >= socketsMax) return false
    this.#byKey.set(key.id, sockets)
    sockets.open += 1
    // Browser keys have ids of at most 0. They end with this process, so other processes do not
    // know them.
    if (this.#takeStored === null || socketsMax === null || key.id <= 0) return true
    // The store still counts a socket that closed a moment ago, so the new socket takes over that
    // count.
    if (sockets.open <= sockets.stored) return true
    return this.#takeStored({ keyId: key.id, socketsMax }).then((isTaken) => {
      if (isTaken === true) sockets.stored += 1
      if (isTaken === false) this.#close(key.id, sockets)
      return isTaken !== false
    })
  }

  release({ key }: SocketCaller): void {
    this.#close(key.id, this.#byKey.get(key.id)!)
  }

  /** Returns the stored sockets that closed since the last call. */
  drainClosed(): ClosedSocketCount[] {
    const closed: ClosedSocketCount[] = []
    for (const [keyId, sockets] of this.#byKey) {
      const count = sockets.stored - sockets.open
      if (count <= 0) continue
      closed.push({ keyId, count })
      sockets.stored = sockets.open
      if (sockets.open === 0) this.#byKey.delete(keyId)
    }
    return closed
  }

  #close(keyId: number, sockets: OpenSockets): void {
    sockets.open -= 1
    if (sockets.open === 0 && sockets.stored === 0) this.#byKey.delete(keyId)
  }
}
