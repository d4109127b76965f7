import { startParley } from "./parley.ts";
import type { PeerAdapter } from "./peer.ts";

// Another checkout of this repository, such as an earlier commit with its packages installed:
// PARLEY_CHECKOUT=../before npm run bench:peers -- --peer test/bench/peers/checkout.ts

const folder = process.env.PARLEY_CHECKOUT;
if (!folder) throw new Error("PARLEY_CHECKOUT is not set: name the folder of the checkout.");

const checkout: PeerAdapter = { name: "Checkout", start: () => startParley(folder) };
// biome-ignore lint/style/noDefaultExport: the bench loads an adapter from the default export of its file.
export default checkout;
