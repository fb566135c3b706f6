import { afterAll } from 'vitest'
import { closeAskedServers } from './injectRequest.ts'

afterAll(closeAskedServers)
