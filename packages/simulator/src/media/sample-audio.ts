const samplesPerSecond = 8_000;
const notes = [440, 554, 659, 554];
const noteSeconds = 0.4;

/** Four soft notes as a WAV file: 8 kHz, 8 bits, mono. */
export function sampleAudio(): Buffer {
  const noteSamples = samplesPerSecond * noteSeconds;
  const samples = Buffer.alloc(notes.length * noteSamples);
  for (let at = 0; at < samples.length; at += 1) {
    const frequency = notes[Math.floor(at / noteSamples)] ?? 440;
    const fade = Math.sin((Math.PI * (at % noteSamples)) / noteSamples);
    samples[at] = 128 + Math.round(50 * fade * Math.sin((2 * Math.PI * frequency * at) / samplesPerSecond));
  }
  const header = Buffer.alloc(44);
  header.write("RIFF", 0, "latin1");
  header.writeUInt32LE(36 + samples.length, 4);
  header.write("WAVEfmt ", 8, "latin1");
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36, "latin1");
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
