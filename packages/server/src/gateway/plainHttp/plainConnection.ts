import type { Socket } from 'node:net'
import { type Encoded, sizeOf, textOf, writeEncoded } from '../encoded.ts'
import type { OperationRouter } from '../operationRouter.ts'
import type { OutputBuffers } from '../outputBuffers.ts'
import { refuseBytes } from '../refuseBytes.ts'
import type { WriteHead } from './answerHead.ts'
import { PlainExchange } from './plainExchange.ts'
import { readHead } from './requestHead.ts'

export type PlainConnectionOptions = {
  router: Pick<OperationRouter, 'find'>
  outputs: OutputBuffers
  writeHead: WriteHead
  /** Longer bodies are not gathered here. */
  bodyBytesMax: number
  /** Time for the first request to come, and for the body of each. */
  requestMsMax: number
  /** Time between two requests. */
  keepAliveMs: number
  isClosing(): boolean
  /** Takes the connection on, with what it has sent and was not answered. */
  handOver(socket: Socket): void
  onGone(connection: PlainConnection): void
}

// More than the head of any answer takes.
const headBytesMax = 1_024

/**
 * A connection whose requests are plain ones for operations: they are read and answered on the bare socket, which costs half
 * of what Node's server does. The first that is not plain, or for no operation, takes the connection over to that server
 * for good.
 */
export class PlainConnection {
  readonly #socket: Socket
  readonly #options: PlainConnectionOptions
  /** What was not taken yet: requests after the one that is being answered, or the beginning of one. */
  #held: Buffer[] = []
  #heldBytes = 0
  /** Of the bytes that are being taken, those behind the request that is being answered. */
  #nextBytes = 0
  /** With fewer bytes the request is not complete. */
  #awaitedBytes = 0
  #late: NodeJS.Timeout | null = null
  /** A request is being answered. */
  #isBusy = false
  /** Whoever answers at once need not go on with the next. */
  #isTaking = false
  #isUsed = false
  /** The peer sends nothing more. */
  #isEnded = false
  /** Closed, closing, or somebody else's. */
  #isGone = false

  constructor(socket: Socket, options: PlainConnectionOptions) {
    this.#socket = socket
    this.#options = options
    socket.setTimeout(options.requestMsMax)
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('timeout', this.#onTimeout)
    socket.on('close', this.#onClose)
    // It closes by itself; an error that nobody listens to would end the process.
    socket.on('error', ignoreError)
  }

  /** Ends the connection now, or with the answer that is under way. */
  close(): void {
    if (!this.#isBusy) this.#leave()
  }

  /** To the request that is under way. */
  answer(status: number, fields: readonly string[], json: Encoded, wantsLast: boolean): void {
    if (this.#isGone) return
    // Requests that were sent behind this one before anybody closed are answered too.
    const hasNext = this.#nextBytes + this.#heldBytes > 0
    const isLast = wantsLast || (!hasNext && (this.#isEnded || this.#options.isClosing()))
    this.#write(status, fields, json, isLast)
    this.#isBusy = false
    if (isLast) this.#leave()
    else if (!this.#isTaking) this.#goOn()
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#isGone) return
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#isBusy) this.#socket.pause()
    else if (this.#heldBytes >= this.#awaitedBytes) this.#take()
  }

  readonly #onEnd = (): void => {
    this.#isEnded = true
    if (this.#isBusy || this.#isGone) return
    if (this.#awaitedBytes > 0) this.#refuse('HPE_INVALID_EOF_STATE')
    else this.#leave()
  }

  readonly #onTimeout = (): void => {
    if (this.#isBusy) return
    if (this.#isUsed || this.#isGone) this.#socket.destroy()
    else this.#refuse('ERR_HTTP_REQUEST_TIMEOUT')
  }

  readonly #onClose = (): void => this.#forget()

  /** Answers what has come, as far as that can be done at once. */
  #take(): void {
    const bytes = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held)
    this.#hold([], 0)
    this.#stopAwaiting()
    this.#isTaking = true
    let at = 0
    while (at < bytes.length && !this.#isGone && !this.#isBusy && !this.#isFull()) {
      const end = this.#takeOne(bytes, at)
      if (end < 0) break
      at = end
    }
    this.#isTaking = false
    this.#nextBytes = 0
    if (this.#isGone || at === bytes.length) return
    this.#hold([bytes.subarray(at)], bytes.length - at)
    if (this.#awaitedBytes > 0) return
    this.#socket.pause()
    if (!this.#isBusy) this.#socket.once('drain', this.#onDrain)
  }

  /** Gives where the next one begins; -1: this one is not complete, or somebody else's. */
  #takeOne(bytes: Buffer, at: number): number {
    const { router, bodyBytesMax, keepAliveMs } = this.#options
    const head = readHead(bytes, at)
    const found = head && router.find(head.method, head.target)
    if (head === null || found === null || head.bodyBytes > bodyBytesMax) {
      this.#handOver(bytes.subarray(at))
      return -1
    }
    const end = head.endAt + head.bodyBytes
    if (end > bytes.length) {
      this.#await(end - at)
      return -1
    }
    this.#isBusy = true
    this.#nextBytes = bytes.length - end
    if (!this.#isUsed) this.#socket.setTimeout(keepAliveMs)
    this.#isUsed = true
    found.handle(new PlainExchange(this, head, bytes.subarray(head.endAt, end)), found.id)
    return end
  }

  #hold(chunks: Buffer[], bytes: number): void {
    this.#held = chunks
    this.#heldBytes = bytes
  }

  #await(bytes: number): void {
    this.#awaitedBytes = bytes
    const refuse = () => this.#refuse('ERR_HTTP_REQUEST_TIMEOUT')
    this.#late = setTimeout(refuse, this.#options.requestMsMax)
  }

  #stopAwaiting(): void {
    this.#awaitedBytes = 0
    if (this.#late === null) return
    clearTimeout(this.#late)
    this.#late = null
  }

  /** Who does not read the answers gets no more of them. */
  #isFull(): boolean {
    return this.#socket.writableLength >= this.#socket.writableHighWaterMark
  }

  readonly #onDrain = (): void => this.#goOn()

  #goOn(): void {
    if (this.#heldBytes > 0) this.#take()
    if (!this.#isGone && (this.#heldBytes === 0 || this.#awaitedBytes > 0)) this.#socket.resume()
  }

  #write(status: number, fields: readonly string[], json: Encoded, isLast: boolean): void {
    const { outputs, writeHead } = this.#options
    const sizeBytes = sizeOf(json)
    const head = writeHead({ status, fields, sizeBytes, isLast })
    const output = outputs.take(headBytesMax + sizeBytes)
    if (output === null) {
      this.#socket.write(head + textOf(json))
      return
    }
    const headBytes = output.write(head, 0, 'latin1')
    writeEncoded(output, headBytes, json, sizeBytes)
    this.#socket.write(output.subarray(0, headBytes + sizeBytes), () => outputs.giveBack(output))
  }

  #refuse(code: string): void {
    this.#release()
    refuseBytes({ code }, this.#socket)
  }

  #handOver(bytes: Buffer): void {
    const socket = this.#socket
    this.#release()
    socket.pause()
    socket.unshift(bytes)
    this.#options.handOver(socket)
    // Not before whoever takes it on listens.
    process.nextTick(() => socket.resume())
  }

  /** Closes when all answers are out. */
  #leave(): void {
    this.#forget()
    this.#socket.destroySoon()
  }

  /** Lets go of the socket, which stays open. */
  #release(): void {
    const socket = this.#socket
    this.#forget()
    socket.setTimeout(0)
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('timeout', this.#onTimeout)
    socket.off('drain', this.#onDrain)
    socket.off('close', this.#onClose)
  }

  #forget(): void {
    this.#isGone = true
    this.#stopAwaiting()
    this.#options.onGone(this)
  }
}

function ignoreError(): void {}
