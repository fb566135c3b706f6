import type { ApiKey } from '../apiKey.ts'
import type { KeyHolder } from '../keyAccess.ts'
import type { SocketReport } from './peerNotice.ts'

/** What a socket needs to know of its key. */
export type SocketHolder = Pick<KeyHolder, 'plan' | 'fault'> & { key: Pick<ApiKey, 'id'> }

/** The part of `KeyAccess` that sockets use. */
export type SocketKeys = {
  identify(text: string | undefined): SocketHolder | Promise<SocketHolder>
  /** @default counted here alone */
  readonly sockets?: KeySockets | undefined
}

/** An open socket of a key. */
export type KeySocket = {
  /** Others have opened as many as the plan allows, a moment before this one. */
  drop(): void
}

type OpenSocket = {
  holder: SocketHolder
  /** The notice that told the others of it; null: none has. */
  number: number | null
  /** It was within the limit when all had heard of it. */
  isSettled: boolean
}

export type SocketSharers = {
  /** Do other processes serve the same keys, and hear of this one? */
  areHeard(): boolean
  /** There are reports to be sent. */
  onChanged(): void
}

const nobody: SocketSharers = { areHeard: () => false, onChanged: () => undefined }

/**
 * Counts the open sockets of each key, also those at other processes. Everybody hears all reports in the same order, so of two that open the last
 * socket at once both know whose was one too many: that of the later report.
 */
export class KeySockets {
  readonly #sharers: SocketSharers
  /** Oldest first. */
  readonly #byKey = new Map<number, Map<KeySocket, OpenSocket>>()
  readonly #ofOthers = new Map<string, Map<number, number>>()
  readonly #changed = new Set<number>()

  constructor(sharers: SocketSharers = nobody) {
    this.#sharers = sharers
  }

  /** False: the key has as many as its plan allows. */
  take(holder: SocketHolder, socket: KeySocket): boolean {
    const { key, plan } = holder
    const own = this.#byKey.get(key.id)
    const count = (own?.size ?? 0) + this.#othersOf(key.id)
    if (plan.socketsMax !== null && count >= plan.socketsMax) return false
    const isSettled = !isShared(holder) || !this.#sharers.areHeard()
    const opened = { holder, number: null, isSettled }
    if (own === undefined) this.#byKey.set(key.id, new Map([[socket, opened]]))
    else own.set(socket, opened)
    this.#change(holder)
    return true
  }

  give(holder: SocketHolder, socket: KeySocket): void {
    const own = this.#byKey.get(holder.key.id)
    if (!own?.delete(socket)) return
    if (own.size === 0) this.#byKey.delete(holder.key.id)
    this.#change(holder)
  }

  /** What changed since the last reports, or all there are. */
  reports(number: number, { isWhole }: { isWhole: boolean }): SocketReport[] {
    const keyIds = isWhole ? new Set([...this.#byKey.keys(), ...this.#changed]) : this.#changed
    const reports: SocketReport[] = []
    for (const keyId of keyIds) {
      const own = this.#byKey.get(keyId) ?? new Map<KeySocket, OpenSocket>()
      const [first] = own.values()
      if (first !== undefined && !isShared(first.holder)) continue
      reports.push([keyId, own.size])
      for (const opened of own.values()) opened.number ??= number
    }
    this.#changed.clear()
    return reports
  }

  hasChanges(): boolean {
    return this.#changed.size > 0
  }

  heard(peer: string, reports: readonly SocketReport[]): void {
    const counts = this.#ofOthers.get(peer) ?? new Map<number, number>()
    for (const [keyId, count] of reports)
      if (count === 0) counts.delete(keyId)
      else counts.set(keyId, count)
    this.#ofOthers.set(peer, counts)
  }

  /** All others have heard reports of ours, and we those that came before. */
  heardOwn(number: number, reports: readonly SocketReport[]): void {
    for (const [keyId] of reports) this.#settle(keyId, number)
  }

  forget(peer: string): void {
    this.#ofOthers.delete(peer)
  }

  #settle(keyId: number, number: number): void {
    const own = this.#byKey.get(keyId)
    if (own === undefined) return
    let count = this.#othersOf(keyId)
    for (const { isSettled } of own.values()) if (isSettled) count += 1
    for (const [socket, opened] of [...own]) {
      if (opened.isSettled || opened.number === null || opened.number > number) continue
      const { socketsMax } = opened.holder.plan
      if (socketsMax !== null && count >= socketsMax) socket.drop()
      else {
        opened.isSettled = true
        count += 1
      }
    }
  }

  #othersOf(keyId: number): number {
    let count = 0
    for (const counts of this.#ofOthers.values()) count += counts.get(keyId) ?? 0
    return count
  }

  #change(holder: SocketHolder): void {
    if (!isShared(holder)) return
    this.#changed.add(holder.key.id)
    this.#sharers.onChanged()
  }
}

/** Keys that end with the process are known to no other one, and without a limit there is nothing to count. */
const isShared = ({ key, plan }: SocketHolder) => key.id > 0 && plan.socketsMax !== null
