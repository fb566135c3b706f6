import type { Push, RpcId } from '../../feed/push.ts'
import { PushFrame } from './frames.ts'
import { deflateTail } from './sharedDeflate.ts'

/**
 * Frames of one text of a push, by request id. Most subscribers of a topic use the same few ids.
 */
class FramesById {
  readonly #tail: Buffer
  readonly #isDeflated: boolean
  #lastId: RpcId | undefined = undefined
  #lastFrame: PushFrame | undefined = undefined
  #byId: Map<RpcId, PushFrame> | null = null

  constructor(tail: Buffer, isDeflated: boolean) {
    this.#tail = tail
    this.#isDeflated = isDeflated
  }

  get(id: RpcId): PushFrame {
    if (id === this.#lastId) return this.#lastFrame!
    let frame = this.#byId?.get(id)
    if (frame === undefined) {
      frame = new PushFrame(id, this.#tail, this.#isDeflated)
      // The first id needs no map: usually a push has one subscriber, or all subscribers use the
      // same id.
      if (this.#lastId !== undefined) {
        this.#byId ??= new Map([[this.#lastId, this.#lastFrame!]])
        this.#byId.set(id, frame)
      }
    }
    this.#lastId = id
    this.#lastFrame = frame
    return frame
  }
}

type PushFrames = { push: Push; variants: (FramesById | undefined)[] }

/** Builds each distinct frame of a push once and shares it between all sockets, until `clear()`. */
export class FrameCache {
  readonly #byPush = new Map<Push, PushFrames>()
  #last: PushFrames | null = null

  frame(push: Push, id: RpcId, isDetailed: boolean, isDeflated: boolean): PushFrame {
    let frames = this.#last
    if (frames?.push !== push) {
      frames = this.#byPush.get(push) ?? null
      if (frames === null) {
        frames = { push, variants: [] }
        this.#byPush.set(push, frames)
      }
      this.#last = frames
    }
    return this.#variant(frames!, isDetailed, isDeflated).get(id)
  }

  clear(): void {
    this.#byPush.clear()
    this.#last = null
  }

  #variant(frames: PushFrames, isDetailed: boolean, isDeflated: boolean): FramesById {
    const index = (isDetailed ? 1 : 0) + (isDeflated ? 2 : 0)
    let variant = frames.variants[index]
    if (variant === undefined) {
      variant = this.#create(frames, isDetailed, isDeflated)
      frames.variants[index] = variant
    }
    return variant
  }

  #create(frames: PushFrames, isDetailed: boolean, isDeflated: boolean): FramesById {
    const tail = isDetailed ? frames.push.detailed() : frames.push.plain
    if (!isDeflated) return new FramesById(tail, false)
    const deflated = deflateTail(tail)
    if (deflated === null) return this.#variant(frames, isDetailed, false)
    return new FramesById(deflated, true)
  }
}
