/*-------------------------------------------------------------------------
 *
 * webdocs.c
 *	  Generates transactions like the words of web pages.
 *
 * It stands in for the set "webdocs" of the FIMI repository (C. Lucchese,
 * S. Orlando, R. Perego and F. Silvestri, "WebDocs: a real-life huge
 * transactional dataset", FIMI 2004): long transactions of very different
 * lengths, millions of items, of which a few are in most transactions, and
 * itemsets because pages are about something.
 *
 * Word 0 is the most frequent one, word 1 the next; frequencies follow Zipf's
 * law.  A topic is a list of words, again with frequencies by Zipf's law, whose
 * words are drawn from all but the rarest, and topics themselves are popular by
 * that law.  A document draws its length, from a log-normal distribution, and
 * its topic; then each word is the topic's with some probability, and any word
 * otherwise, until there are as many different words as the length says.  A
 * document that finds nothing new for a while is left short.
 *
 *-------------------------------------------------------------------------
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "generator.h"

#define MAX_FRUITLESS	1000	/* words in a row that are there already */
#define TOPICAL_SHARE	0.01	/* of the words: those that topics are made of */
#define GRAIN			256		/* ranks r to r + r / GRAIN are equally likely */

typedef struct Parameters
{
	double		length;			/* T: mean */
	double		spread;			/* standard deviation of a length's logarithm */
	uint64_t	documents;		/* D */
	uint32_t	words;			/* N */
	double		exponent;		/* of Zipf's law */
	uint32_t	topics;
	uint32_t	topic_words;	/* in each */
	double		topicality;		/* probability of drawing from the topic */
	uint64_t	seed;
} Parameters;

/*
 * Zipf's law over ranks from 0, in blocks of ranks that are equally likely.  The
 * blocks of millions of ranks fit a cache.
 */
typedef struct Zipf
{
	Alias		blocks;
	uint32_t   *first;			/* [blocks.n + 1] */
} Zipf;

typedef struct Model
{
	Zipf		words;
	Zipf		topics;
	Zipf		within;			/* a topic, by place in its list */
	uint32_t   *lists;			/* of words, one list after the other */
} Model;

const char *const program_name = "webdocs";

static uint32_t
BlockSize(uint32_t rank, uint32_t nranks)
{
	uint32_t	size = 1 + rank / GRAIN;

	return size < nranks - rank ? size : nranks - rank;
}

static void
ZipfInit(Zipf *zipf, uint32_t nranks, double exponent)
{
	uint32_t	nblocks = 0;
	uint32_t	rank = 0;
	double	   *weights;

	for (; rank < nranks; rank += BlockSize(rank, nranks))
		nblocks++;
	zipf->first = Allocate(nblocks + 1, sizeof(uint32_t));
	weights = Allocate(nblocks, sizeof(double));
	rank = 0;
	for (uint32_t i = 0; i < nblocks; i++)
	{
		uint32_t	size = BlockSize(rank, nranks);

		zipf->first[i] = rank;
		weights[i] = size * pow(rank + (size + 1) / 2.0, -exponent);
		rank += size;
	}
	zipf->first[nblocks] = nranks;
	AliasInit(&zipf->blocks, weights, nblocks);
	free(weights);
}

static inline uint32_t
ZipfDraw(const Zipf *zipf)
{
	const uint32_t *first = &zipf->first[AliasDraw(&zipf->blocks)];

	return first[0] + Below(first[1] - first[0]);
}

static void
ModelInit(Model *model, const Parameters *par)
{
	size_t		size = (size_t) par->topics * par->topic_words;
	uint32_t	topical = (uint32_t) ceil(par->words * TOPICAL_SHARE);

	ZipfInit(&model->words, par->words, par->exponent);
	ZipfInit(&model->topics, par->topics, par->exponent);
	ZipfInit(&model->within, par->topic_words, par->exponent);
	model->lists = Allocate(size, sizeof(uint32_t));
	for (size_t i = 0; i < size; i++)
		model->lists[i] = Below(topical);
}

/* The mean of a log-normal variable lies above its median. */
static uint32_t
DrawLength(const Parameters *par)
{
	double		variance = par->spread * par->spread;
	double		length = exp(Normal(log(par->length) - variance / 2.0, variance));

	return (uint32_t) Cut(length + 0.5, 1.0, par->words);
}

static void
FillDocument(Basket *document, uint32_t length, const Model *model, const Parameters *par)
{
	const uint32_t *topic = model->lists + (size_t) ZipfDraw(&model->topics) * par->topic_words;
	int			fruitless = 0;

	BasketClear(document);
	while (document->size < length && fruitless < MAX_FRUITLESS)
	{
		uint32_t	word = Uniform() < par->topicality ? topic[ZipfDraw(&model->within)] :
			ZipfDraw(&model->words);

		fruitless = BasketAdd(document, word) ? 0 : fruitless + 1;
	}
}

static void
Generate(const Parameters *par)
{
	Basket		document;
	Model		model;

	BasketInit(&document, par->words);
	ModelInit(&model, par);
	for (uint64_t i = 0; i < par->documents; i++)
	{
		FillDocument(&document, DrawLength(par), &model, par);
		WriteTransaction(&document);
	}
	FinishOutput();
}

static void
Help(void)
{
	printf("webdocs generates transactions like the words of web pages and writes them to standard\n"
		   "output, one a line, as word numbers from 0, the most frequent word, in any order.\n"
		   "\n"
		   "Usage: webdocs [OPTION]...\n"
		   "\n"
		   "  -T, --length=NUM                mean words of a document (default 177)\n"
		   "  -d, --spread=NUM                standard deviation of the lengths' logarithm (default 1)\n"
		   "  -D, --documents=NUM[K|M]        documents (default 1700K)\n"
		   "  -N, --words=NUM[K|M]            words to choose from (default 5M)\n"
		   "  -z, --exponent=NUM              of Zipf's law: frequency falls with this power of a\n"
		   "                                  word's rank (default 1.1)\n"
		   "  -t, --topics=NUM[K|M]           topics (default 300)\n"
		   "  -w, --topic-words=NUM[K|M]      words of a topic (default 1K)\n"
		   "  -p, --topicality=NUM            share of a document's words that are its topic's\n"
		   "                                  (default 0.6)\n"
		   "  -s, --seed=NUM                  same seed, same transactions (default 1)\n"
		   "  -h, --help                      show this help\n");
}

static void
ParseArguments(int argc, char **argv, Parameters *par)
{
	static const struct option options[] = {
		{"length", required_argument, NULL, 'T'},
		{"spread", required_argument, NULL, 'd'},
		{"documents", required_argument, NULL, 'D'},
		{"words", required_argument, NULL, 'N'},
		{"exponent", required_argument, NULL, 'z'},
		{"topics", required_argument, NULL, 't'},
		{"topic-words", required_argument, NULL, 'w'},
		{"topicality", required_argument, NULL, 'p'},
		{"seed", required_argument, NULL, 's'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0}
	};
	int			c;

	while ((c = getopt_long(argc, argv, "T:d:D:N:z:t:w:p:s:h", options, NULL)) != -1)
	{
		switch (c)
		{
			case 'T':
				par->length = ParseReal(optarg, 1.0, 1e6, "length");
				break;
			case 'd':
				par->spread = ParseReal(optarg, 0.0, 3.0, "spread");
				break;
			case 'D':
				par->documents = ParseCount(optarg, 0, UINT64_MAX, "documents");
				break;
			case 'N':
				par->words = (uint32_t) ParseCount(optarg, 1, INT32_MAX, "words");
				break;
			case 'z':
				par->exponent = ParseReal(optarg, 0.0, 10.0, "exponent");
				break;
			case 't':
				par->topics = (uint32_t) ParseCount(optarg, 1, INT32_MAX, "topics");
				break;
			case 'w':
				par->topic_words = (uint32_t) ParseCount(optarg, 1, INT32_MAX, "topic-words");
				break;
			case 'p':
				par->topicality = ParseReal(optarg, 0.0, 1.0, "topicality");
				break;
			case 's':
				par->seed = ParseCount(optarg, 0, UINT64_MAX, "seed");
				break;
			case 'h':
				Help();
				exit(0);
			default:
				WrongOption();
		}
	}
	NoMoreArguments(argc, argv);
}

int
main(int argc, char **argv)
{
	Parameters	par = {
		.length = 177.0,
		.spread = 1.0,
		.documents = 1700000,
		.words = 5000000,
		.exponent = 1.1,
		.topics = 300,
		.topic_words = 1000,
		.topicality = 0.6,
		.seed = 1
	};

	ParseArguments(argc, argv, &par);
	random_state = par.seed;
	Generate(&par);
	return 0;
}
