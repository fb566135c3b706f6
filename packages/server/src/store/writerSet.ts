import type { Logger } from '../lib/logger.ts'
import { type BlockWriter, type BlockWriterOptions, openBlockWriter } from './blockWriter.ts'
import type { StoreConnection } from './connection.ts'

/** The open writers, by chain. */
type WriterSet = {
  open(options: Omit<BlockWriterOptions, 'connection' | 'logger'>): Promise<BlockWriter>
  find(chainId: number): BlockWriter | undefined
  /** Closes all of them. */
  close(): Promise<void>
}

export function createWriterSet(connection: StoreConnection, logger: Logger): WriterSet {
  const writers = new Map<number, BlockWriter>()
  return {
    async open(options) {
      const { chainId } = options
      const opened = await openBlockWriter({ connection, logger, ...options })
      const writer: BlockWriter = {
        ...opened,
        close() {
          // It references its opener, and with it the whole market of a chain that may be gone.
          if (writers.get(chainId) === writer) writers.delete(chainId)
          return opened.close()
        },
      }
      writers.set(chainId, writer)
      return writer
    },
    find: (chainId) => writers.get(chainId),
    async close() {
      await Promise.all([...writers.values()].map((writer) => writer.close()))
    },
  }
}
