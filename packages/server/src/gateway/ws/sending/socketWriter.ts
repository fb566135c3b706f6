import type { Duplex } from 'node:stream'

/**
 * Writes to the TCP connection under a WebSocket and reports whether the kernel took the bytes.
 * Each write holds whole frames, so control frames that the `ws` library writes itself fall between
 * them.
 */
export class SocketWriter {
  readonly #socket: Duplex
  readonly #onDrained: () => void
  readonly #onWritten = (): void => this.#written()
  /** Number of writes whose callback is pending. */
  #writes = 0
  #drains = 0

  /** `onDrained` is called each time the kernel has taken all written bytes. */
  constructor(socket: Duplex, onDrained: () => void) {
    this.#socket = socket
    this.#onDrained = onDrained
  }

  /** Bytes that the kernel has not taken yet. */
  get pendingBytes(): number {
    return this.#socket.writableLength
  }

  /** Counts how often the kernel took all written bytes. Grows while a slow client reads. */
  get drains(): number {
    return this.#drains
  }

  /**
   * Returns false if the kernel did not take all bytes. The caller then writes nothing before
   * `onDrained`.
   */
  write(bytes: Buffer): boolean {
    this.#writes += 1
    this.#socket.write(bytes, this.#onWritten)
    return this.#socket.writableLength === 0
  }

  // Counts write callbacks, because the stream's `drain` event only comes after more than the
  // high-water mark was buffered.
  #written(): void {
    this.#writes -= 1
    if (this.#writes > 0) return
    this.#drains += 1
    this.#onDrained()
  }
}
