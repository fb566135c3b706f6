import type { Frame } from './frames.ts'

/**
 * Frames that leave in one write, as a tree. Sockets that send the same frames in the same order
 * share a tree node, so the bytes are joined only once.
 */
export class FrameBatch {
  readonly bytes: number
  readonly #parent: FrameBatch | null
  readonly #frame: Frame | null
  #joined: Buffer | null = null
  #lastFrame: Frame | null = null
  #lastNext: FrameBatch | null = null
  #nexts: Map<Frame, FrameBatch> | null = null

  private constructor(parent: FrameBatch | null, frame: Frame | null) {
    this.#parent = parent
    this.#frame = frame
    this.bytes = (parent?.bytes ?? 0) + (frame?.length ?? 0)
  }

  static createRoot(): FrameBatch {
    return new FrameBatch(null, null)
  }

  /** Returns this batch plus a frame that other sockets may send too. */
  withShared(frame: Frame): FrameBatch {
    if (frame === this.#lastFrame) return this.#lastNext!
    let next = this.#nexts?.get(frame)
    if (next === undefined) {
      next = new FrameBatch(this, frame)
      if (this.#lastFrame !== null) {
        this.#nexts ??= new Map([[this.#lastFrame, this.#lastNext!]])
        this.#nexts.set(frame, next)
      }
    }
    this.#lastFrame = frame
    this.#lastNext = next
    return next
  }

  /** Returns this batch plus a frame that no other socket sends. */
  withOwn(frame: Frame): FrameBatch {
    return new FrameBatch(this, frame)
  }

  /** Returns all frames of the batch in order, as one buffer. */
  join(): Buffer {
    this.#joined ??= this.#joinFrames()
    return this.#joined
  }

  /** Forgets the batches that continue this batch. Sockets that hold them can still send them. */
  clear(): void {
    this.#lastFrame = null
    this.#lastNext = null
    this.#nexts = null
  }

  #joinFrames(): Buffer {
    if (this.#parent?.bytes === 0 && Buffer.isBuffer(this.#frame)) return this.#frame
    const joined = Buffer.allocUnsafe(this.bytes)
    let end = this.bytes
    for (let batch: FrameBatch | null = this; batch !== null; batch = batch.#parent) {
      if (batch.#frame === null) continue
      end -= batch.#frame.length
      batch.#frame.copy(joined, end)
    }
    return joined
  }
}
