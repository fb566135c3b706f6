import type { Socket } from 'node:net'
import type { Metrics } from '../../lib/metrics.ts'
import type { Clock } from '../gatewayChain.ts'
import type { KeyAccess } from '../keys/keyAccess.ts'
import { type AddressBook, type AddressLimits, createAddressBook } from './addressBook.ts'
import { type ClientAddresses, createClientAddresses } from './clientAddress.ts'
import { createStrangers, type Strangers } from './strangers.ts'

/** Who the clients of the service are, by their addresses, and what these have done. */
export type Clients = {
  addresses: ClientAddresses
  book: AddressBook
  strangers: Strangers
  /** Counts a new connection, once, and closes it when its address has too many. */
  admit(socket: Socket): void
}

type ClientsOptions = {
  keys: KeyAccess
  trustedProxies: readonly string[]
  addressLimits: AddressLimits
  metrics: Metrics
  clock: Clock
}

export function createClients(options: ClientsOptions): Clients {
  const { keys, trustedProxies, addressLimits, metrics, clock } = options
  const addresses = createClientAddresses(trustedProxies)
  const book = createAddressBook(addressLimits, clock)
  // The server is given a socket again after each upgrade that it ignores.
  const admitted = new WeakSet<Socket>()
  return {
    addresses,
    book,
    strangers: createStrangers({ keys, addresses, book, metrics }),
    admit(socket) {
      if (admitted.has(socket)) return
      admitted.add(socket)
      const address = addresses.ofPeer(socket.remoteAddress)
      // Clients behind a proxy are distinguished by what they ask.
      if (address === null) return
      if (book.connect(address)) socket.once('close', () => book.disconnect(address))
      else {
        metrics.refusedRequestsTotal.inc({ reason: 'address_connections_max' })
        socket.destroy()
      }
    },
  }
}
