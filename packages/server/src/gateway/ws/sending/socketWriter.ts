import type { Duplex } from 'node:stream'

/**
 * Writes to the connection under a WebSocket and says whether the kernel took it. Every write holds whole frames, so
 * control frames that the library writes itself fall between them.
 */
export class SocketWriter {
  readonly #socket: Duplex
  readonly #onDrained: () => void
  readonly #onWritten = (): void => this.#written()
  /** Writes whose callback has not come. */
  #writes = 0
  #drains = 0

  /** `onDrained` is called when all that was written is gone. */
  constructor(socket: Duplex, onDrained: () => void) {
    this.#socket = socket
    this.#onDrained = onDrained
  }

  /** Not yet taken by the kernel. */
  get pendingBytes(): number {
    return this.#socket.writableLength
  }

  /** Grows while a slow reader reads. */
  get drains(): number {
    return this.#drains
  }

  /** False: the kernel did not take it all, and nothing shall be written before `onDrained`. */
  write(bytes: Buffer): boolean {
    this.#writes += 1
    this.#socket.write(bytes, this.#onWritten)
    return this.#socket.writableLength === 0
  }

  // The stream's `drain` event would not do: it comes only after more than the high-water mark was buffered.
  #written(): void {
    this.#writes -= 1
    if (this.#writes > 0) return
    this.#drains += 1
    this.#onDrained()
  }
}
