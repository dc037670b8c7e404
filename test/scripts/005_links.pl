# The links between the pages of the documentation: the files and the headings that
# they name must be there.
use strict;
use warnings;
use Test::More;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use File::Spec;
use lib dirname(__FILE__);
use Installation;

# A page's text without its blocks of code.
sub prose
{
	my ($path) = @_;
	my $text = Installation::read_file($path);

	$text =~ s/^```.*?^```$//msg;
	return $text;
}

# What a heading is called in a link: as GitHub and GitLab make it.
sub anchor
{
	my ($heading) = @_;

	$heading =~ s/\[([^\]]*)\]\([^)]*\)/$1/g;
	$heading = lc $heading;
	$heading =~ s/[^\w\- ]//g;
	$heading =~ tr/ /-/;
	return $heading;
}

sub anchors
{
	my ($path) = @_;
	my %anchors;

	foreach my $heading (prose($path) =~ /^#+ +(.*?) *$/mg)
	{
		my $anchor = anchor($heading);
		my $same = $anchors{$anchor}++;

		$anchors{"$anchor-$same"} = 1 if $same;
	}
	return \%anchors;
}

# The links of a page that lead nowhere.
sub broken
{
	my ($path) = @_;
	my $text = prose($path);
	my @broken;

	$text =~ s/`[^`\n]*`//g;
	foreach my $link ($text =~ /\]\(([^)\s]+)\)/g)
	{
		next if $link =~ /^[a-z]+:/;
		my ($file, $anchor) = split(/#/, $link, 2);
		my $target = $file eq '' ? $path : File::Spec->catfile(dirname($path), $file);

		push @broken, $link
			if !-e $target || (defined $anchor && (!-f $target || !anchors($target)->{$anchor}));
	}
	return @broken;
}

# The test itself, on a page made up.
my $machine = Installation->new;
my $page = "$machine->{root}/page.md";
Installation::write_file("$machine->{root}/other.md", "# One `name`_x, (two)\n\n## Again\n\n## Again\n");
Installation::write_file($page, <<'END');
# Heading
[good](other.md) [good](other.md#one-name_x-two) [good](#heading) [good](other.md#again-1) [good](https://example.org/x)
[bad](missing.md) [bad](other.md#nowhere) [bad](#nowhere) ![bad](picture.svg) [bad](other.md#again-2) `[no link](x)`
```text
[no link](x)
```
END
is(join(' ', broken($page)), 'missing.md other.md#nowhere #nowhere picture.svg other.md#again-2',
	'links that lead nowhere are found');

my @pages = sort(glob("$Installation::top/*.md"), glob("$Installation::top/*/*.md"), glob("$Installation::top/*/*/*.md"));
cmp_ok(scalar(@pages), '>=', 10, 'there are pages');
foreach my $path (@pages)
{
	my $name = File::Spec->abs2rel($path, $Installation::top);

	is(join(' ', broken($path)), '', "links of $name");
}

# Each page of doc/ is linked from another page.
my %linked;
foreach my $path (@pages)
{
	foreach my $file (prose($path) =~ /\]\(([^)#\s]+)/g)
	{
		my $target = abs_path(dirname($path) . "/$file");

		$linked{$target} = 1 if defined $target && $target ne $path;
	}
}
is(join(' ', grep { !$linked{$_} } glob("$Installation::top/doc/{*,*/*}.md")), '', 'each page of doc/ is linked from another');

done_testing();
