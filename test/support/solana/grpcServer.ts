// A Yellowstone-compatible gRPC service over a generated chain, with another gRPC implementation
// than the client's.
import { resolve } from 'node:path'
import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServiceClientConstructor,
  status,
} from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { decodeBase58 } from '../../../packages/devnet/src/solana/base58.ts'
import type { GeneratedBlock } from '../../../packages/devnet/src/solana/generatedChain.ts'
import type {
  WrittenInstruction,
  WrittenTransaction,
} from '../../../packages/devnet/src/solana/rpcShapes.ts'

type Request = {
  blocks: Record<string, { include_transactions: boolean }>
  /** Enum value as a number. */
  commitment: number
  ping: object | null
}
type Stream = ServerDuplexStream<Request, object>

export type GrpcServer = {
  url: string
  /** Number of open streams with a subscription. */
  streams(): number
  /** Numbers of the requested commitment levels. */
  levels(): readonly number[]
  /** Number of answers to `ping`, over all streams. */
  pongs(): number
  /** Number of subscriptions refused because of their token. */
  refused(): number
  send(block: GeneratedBlock): void
  ping(): void
  /** Ends all streams, like a restarting node. */
  drop(): void
  stop(): Promise<void>
}

const definition = loadSync(resolve(import.meta.dirname, 'geyser.proto'), {
  keepCase: true,
  longs: Number,
  oneofs: true,
  defaults: true,
})
const { Geyser } = (
  loadPackageDefinition(definition) as unknown as {
    geyser: { Geyser: ServiceClientConstructor }
  }
).geyser

export async function startGrpcServer(token?: string): Promise<GrpcServer> {
  const open = new Set<Stream>()
  const levels = new Map<Stream, number>()
  let [pongs, refused] = [0, 0]
  const server = new Server({ 'grpc.max_send_message_length': -1 })
  server.addService(Geyser.service, {
    Subscribe(stream: Stream) {
      if (token !== undefined && stream.metadata.get('x-token')[0] !== token) {
        refused += 1
        stream.emit('error', { code: status.UNAUTHENTICATED, details: 'wrong token' })
        return
      }
      stream.on('data', ({ blocks, ping, commitment }: Request) => {
        if (ping) pongs += 1
        if (!Object.values(blocks).some((filter) => filter.include_transactions)) return
        open.add(stream)
        levels.set(stream, commitment)
      })
      for (const word of ['end', 'close', 'error', 'cancelled'])
        stream.on(word, () => open.delete(stream))
    },
  })
  const port = await new Promise<number>((done, fail) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? fail(error) : done(bound),
    )
  })
  return {
    url: `http://127.0.0.1:${port}`,
    streams: () => open.size,
    levels: () => [...levels.values()],
    pongs: () => pongs,
    refused: () => refused,
    send(block) {
      for (const stream of open) stream.write({ filters: ['blocks'], block: blockOf(block) })
    },
    ping() {
      for (const stream of open) stream.write({ filters: [], ping: {} })
    },
    drop() {
      for (const stream of open) stream.end()
      open.clear()
    },
    async stop() {
      server.forceShutdown()
    },
  }
}

const voteProgram = 'Vote111111111111111111111111111111111111111'
const bytes = (text: string) => decodeBase58(text)

function blockOf(block: GeneratedBlock): object {
  const { slot, blockhash, parentSlot, previousBlockhash, blockTime, blockHeight } = block
  return {
    slot,
    blockhash,
    parent_slot: parentSlot,
    parent_blockhash: previousBlockhash,
    block_time: { timestamp: blockTime },
    block_height: { block_height: blockHeight },
    executed_transaction_count: block.transactions.length,
    transactions: block.transactions.map(infoOf),
  }
}

function infoOf({ transaction, meta, version }: WrittenTransaction, index: number): object {
  const { signatures, message } = transaction
  const { numRequiredSignatures: signers } = message.header
  return {
    signature: bytes(signatures[0]!),
    is_vote: message.accountKeys.includes(voteProgram),
    index,
    transaction: {
      signatures: signatures.map(bytes),
      message: {
        header: { num_required_signatures: signers },
        account_keys: message.accountKeys.map(bytes),
        recent_blockhash: bytes(message.recentBlockhash!),
        instructions: message.instructions.map(instructionOf),
        versioned: version !== 'legacy',
      },
    },
    meta: metaOf(meta),
  }
}

function instructionOf(instruction: WrittenInstruction): object {
  const { programIdIndex, accounts, data, stackHeight } = instruction
  return {
    program_id_index: programIdIndex,
    accounts: Buffer.from(accounts),
    data: bytes(data),
    ...(stackHeight && { stack_height: stackHeight }),
  }
}

function metaOf(meta: WrittenTransaction['meta']): object {
  const balances = (list: WrittenTransaction['meta']['preTokenBalances']) =>
    list.map(({ accountIndex, mint, owner, uiTokenAmount }) => {
      return { account_index: accountIndex, mint, owner, ui_token_amount: uiTokenAmount }
    })
  return {
    ...(meta.err !== null && { err: { err: Buffer.of(8) } }),
    fee: meta.fee,
    pre_balances: meta.preBalances,
    post_balances: meta.postBalances,
    inner_instructions: meta.innerInstructions.map(({ index, instructions }) => {
      return { index, instructions: instructions.map(instructionOf) }
    }),
    log_messages: meta.logMessages,
    pre_token_balances: balances(meta.preTokenBalances),
    post_token_balances: balances(meta.postTokenBalances),
    loaded_writable_addresses: meta.loadedAddresses.writable.map(bytes),
    loaded_readonly_addresses: meta.loadedAddresses.readonly.map(bytes),
  }
}
