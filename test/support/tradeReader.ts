// A client written as the docs recommend: it keeps the newest cursor of each subscription and
// resumes from it.
import { type Frame, openProgramSocket, type ProgramSocket } from './programSocket.ts'

export type TradeItem = { topic: 'tx' | 'multi_tx' | 'liq'; address: string }

/** One subscription across all connections. */
export type TradeTrack = TradeItem & {
  id: number
  /** Received trades without the retracted ones. */
  trades: { tx: Record<string, unknown> & { id: string }; cursor: string }[]
  /** Every push in order of arrival. */
  log: { id: string; isRetracted: boolean }[]
  /** Null before the first push. */
  cursor: string | null
  errors: string[]
  /** Lowest block of an `orphaned` cursor; it may be before the start of the track. */
  rewoundTo: number
}

export type TradeReader = {
  tracks: readonly TradeTrack[]
  /** The current connection. */
  socket(): ProgramSocket
  /** Reconnects and resumes every subscription. */
  connect(address: string): Promise<void>
  headNumber(): number
}

export type TradeReaderOptions = {
  items: readonly TradeItem[]
  key: string
  chain?: string
  isRevised?: boolean
  /** Cursor to start from; null starts with new pushes. */
  since?: string | null
}

export function createTradeReader(options: TradeReaderOptions): TradeReader {
  const { items, key, chain = 'local', isRevised = false, since = null } = options
  const tracks = items.map(
    (item, at): TradeTrack => ({
      ...item,
      id: at + 1,
      trades: [],
      log: [],
      cursor: since,
      errors: [],
      rewoundTo: Number.POSITIVE_INFINITY,
    }),
  )
  const byId = new Map(tracks.map((track) => [track.id, track]))
  let current: ProgramSocket | null = null
  let headNumber = -1

  function subscribe(socket: ProgramSocket, { topic, address, id, cursor }: TradeTrack): void {
    const asked = {
      revisions: isRevised,
      heartbeat: 1,
      ...(cursor === null ? {} : { since: cursor }),
    }
    socket.send({ jsonrpc: '2.0', method: 'subscribe', params: [topic, address, chain, asked], id })
  }

  function take(socket: ProgramSocket, frame: Frame): void {
    const track = byId.get(frame.id ?? -1)
    if (track === undefined) throw new Error(`A push of nobody: ${JSON.stringify(frame)}`)
    if (frame.error !== undefined) {
      const { code, cursor } = frame.error.data
      track.errors.push(code)
      if (code !== 'cursor_orphaned') throw new Error(JSON.stringify(frame))
      // As the docs say: drop items after the returned cursor and resume from it.
      const lastKept = placeOf(cursor)
      track.trades = track.trades.filter((trade) => isUpTo(placeOf(trade.cursor), lastKept))
      track.cursor = cursor
      track.rewoundTo = Math.min(track.rewoundTo, lastKept[0])
      subscribe(socket, track)
      return
    }
    if (frame.result.topic === 'heartbeat')
      headNumber = Math.max(headNumber, frame.result.head_block)
    if (frame.result.tx === undefined) return
    const { tx, retracted: isRetracted = false } = frame.result
    track.log.push({ id: tx.id, isRetracted })
    track.cursor = frame.cursor!
    if (!isRetracted) track.trades.push({ tx, cursor: frame.cursor! })
    else if (track.trades.at(-1)?.tx.id === tx.id) track.trades.pop()
    else throw new Error(`${tx.id} is reverted after ${track.trades.at(-1)?.tx.id}`)
  }

  return {
    tracks,
    socket: () => current!,
    headNumber: () => headNumber,
    async connect(address) {
      current?.webSocket.removeAllListeners('message')
      current?.webSocket.terminate()
      headNumber = -1
      const socket = await openProgramSocket(address, { key })
      current = socket
      socket.webSocket.on('message', (data) => take(socket, JSON.parse(data.toString()) as Frame))
      for (const track of tracks) subscribe(socket, track)
    },
  }
}

function placeOf(cursor: string): [number, number] {
  const [number, , index] = cursor.split('-')
  return [Number(number), Number(index)]
}

function isUpTo([number, index]: [number, number], last: [number, number]): boolean {
  return number < last[0] || (number === last[0] && index <= last[1])
}
